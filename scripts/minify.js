// Minifies a build. Stack traces keep the names of functions and classes, and a statement begins a line, because Node
// prints the line of an error that is not caught.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { minify } from 'terser'

const DIST = resolve(import.meta.dirname, '../dist')

for (const name of readdirSync(DIST).filter((file) => file.endsWith('.js') && file !== 'client.js')) {
  const path = join(DIST, name)
  const { code } = await minify(readFileSync(path, 'utf8'), {
    parse: { module: true },
    compress: false,
    mangle: { keep_fnames: true, keep_classnames: true },
    format: { semicolons: false, ecma: 2020 }
  })
  writeFileSync(path, code)
}
