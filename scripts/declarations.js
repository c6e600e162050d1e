// Removes the declarations of a build that no entry of the package refers to.
import { readFileSync, readdirSync, rmSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'

const DIST = resolve(import.meta.dirname, '../dist')
const reached = new Set()
reach(join(DIST, 'index.d.ts'))

const all = readdirSync(DIST, { recursive: true, withFileTypes: true }).filter((entry) => entry.isFile())
for (const { parentPath, name } of all) {
  const path = join(parentPath, name)
  if (name.endsWith('.d.ts') && !reached.has(path)) rmSync(path)
}
removeEmpty(DIST)

function reach (path) {
  if (reached.has(path) || !path.startsWith(DIST)) return
  reached.add(path)
  for (const [, specifier] of readFileSync(path, 'utf8').matchAll(/(?:from|import\() ?'(\.[^']+)'/g)) {
    reach(join(dirname(path), specifier).replace(/(?<!\.d)\.ts$/, '.d.ts'))
  }
}

function removeEmpty (directory) {
  for (const entry of readdirSync(directory, { withFileTypes: true })) {
    if (entry.isDirectory()) removeEmpty(join(directory, entry.name))
  }
  if (readdirSync(directory).length === 0) rmSync(directory, { recursive: true })
}
