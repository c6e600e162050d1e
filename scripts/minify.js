// Minifies a build. Stack traces keep the names of functions and classes, and a statement begins a line, because Node
// prints the line of an error that is not caught.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { minify } from 'terser'

const DIST = resolve(import.meta.dirname, '../dist')

for (const name of readdirSync(DIST).filter((file) => file.endsWith('.js') && file !== 'client.js')) {
  const path = join(DIST, name)
  const bundle = readFileSync(path, 'utf8')
  // esbuild makes an expression of a class with a static block. It has the name of its variable.
  const reserved = [...bundle.matchAll(/(\w+)=class\b/g)].map(([, variable]) => variable)
  const { code } = await minify(bundle, {
    module: true,
    compress: { sequences: false, inline: false, reduce_funcs: false, keep_fnames: true, keep_classnames: true },
    mangle: { keep_fnames: true, keep_classnames: true, reserved },
    format: { semicolons: false, ecma: 2020 }
  })
  writeFileSync(path, code)
}
