// Joins the declarations that the entry of the package reaches in one file, and removes those of a build.
import { readFileSync, readdirSync, rmSync, writeFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const DIST = resolve(import.meta.dirname, '../dist')
const ENTRY = join(DIST, 'index.d.ts')

const seen = new Set()
/** The names that the joined file imports, by module. */
const imported = {}
const exported = []
const parts = []

const own = readFileSync(ENTRY, 'utf8').replaceAll(/^export \{ (.+) \} from '(.+)';\n/gm, (_line, name, module) => {
  exported.push(name === 'default' ? 'plugin as default' : name)
  add(declarationsOf(module, DIST))
  return ''
})
for (const entry of readdirSync(DIST)) rmSync(join(DIST, entry), { recursive: true })
const imports = Object.entries(imported)
  .map(([module, names]) => `import type { ${[...names].sort().join(', ')} } from '${module}';\n`)
writeFileSync(ENTRY, [...imports, ...parts, own, `export { ${exported.join(', ')} };\n`].join(''))

/** Adds the declarations of a file after those that it needs. Only the entry's exports stay exports. */
function add (file) {
  if (seen.has(file)) return
  seen.add(file)
  const declarations = readFileSync(file, 'utf8')
    .replaceAll(/^import (?:type )?\{ (.+) \} from '(.+)';\n/gm, (_line, names, module) => {
      const path = declarationsOf(module, dirname(file))
      if (path.startsWith(DIST)) add(path)
      else for (const name of names.split(', ')) (imported[toPackage(module)] ??= new Set()).add(name)
      return ''
    })
  parts.push(declarations.replaceAll(/^export (?:\{\}|default \w+);\n/gm, '').replaceAll(/^export (?=\w)/gm, ''))
}

/** The file of declarations that a relative module has; a package's name as it is. */
function declarationsOf (module, from) {
  return module.startsWith('.') ? join(from, module).replace(/(?<!\.d)\.ts$/, '.d.ts') : module
}

/** A module outside of dist as the entry refers to it. */
function toPackage (module) {
  return module.replace(/^(?:\.\.\/)+/, '../')
}
