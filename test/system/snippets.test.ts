import { execFile } from 'node:child_process'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import t from 'tap'

import { ROOT } from '../docs/pages.ts'
import { compiled, fileOf, placeOf, runnable, writeSnippets } from '../docs/snippets.ts'
import { syntaxErrorsOf, typeErrorsOf } from '../fixtures/type-errors.ts'

import type { Block } from '../docs/pages.ts'

const isTyped = ({ language }: Block) => language === 'ts'
/** It adds to types that other snippets see, so that it is checked alone. Each program of TypeScript takes a second. */
const isAugmenting = ({ text }: Block) => text.includes('declare module')

/** Users see the declarations, not the sources. */
const TSC = [
  createRequire(import.meta.url).resolve('typescript/bin/tsc'), '--project', 'tsconfig.build.json',
  '--incremental', '--tsBuildInfoFile', 'dist/.tsbuildinfo'
]

t.before(async () => {
  await promisify(execFile)(process.execPath, TSC, { cwd: fileURLToPath(ROOT) })
  await writeSnippets(t)
})

const typed = [...runnable, ...compiled].filter(isTyped)

t.test('the snippets in TypeScript type-check', async (t) => {
  t.equal(typeErrorsIn(typed.filter((snippet) => !isAugmenting(snippet))), '')
})

for (const snippet of typed.filter(isAugmenting)) {
  t.test(`the snippet in ${placeOf(snippet)} type-checks`, async (t) => {
    t.equal(typeErrorsIn([snippet]), '')
  })
}

for (const snippet of compiled.filter((snippet) => !isTyped(snippet))) {
  t.test(`the snippet in ${placeOf(snippet)} compiles`, async (t) => {
    t.equal(syntaxErrorsOf(snippet.text), '')
  })
}

function typeErrorsIn (blocks: Block[]): string {
  const files = blocks.map((snippet) => fileURLToPath(fileOf(snippet)))
  return typeErrorsOf(files, { lib: ['lib.es2024.d.ts'], types: ['node'] })
}
