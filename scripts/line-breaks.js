// TypeScript parses "a.", a line break and "b in c" as an error, so ts-jest could not compile a build that has it.
import { readFileSync, readdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'

const DIST = resolve(import.meta.dirname, '../dist')

for (const name of readdirSync(DIST).filter((file) => file.endsWith('.js'))) {
  const path = join(DIST, name)
  writeFileSync(path, readFileSync(path, 'utf8').replace(/(?<=[\w\])])\.\n(?=\w+ (?:in|instanceof|of)\b)/g, '\n.'))
}
