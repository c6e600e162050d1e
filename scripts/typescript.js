// Runs TypeScript without a build: node --import=./scripts/typescript.js test/x.test.ts
// tsx does so for every project. This is for one, and starts sooner.
import * as nodeModule from 'node:module'
import process from 'node:process'

// In Node 20 hooks run in another thread only.
if (nodeModule.registerHooks === undefined) nodeModule.register('./typescript-hooks.js', import.meta.url)
else nodeModule.registerHooks(await import('./typescript-hooks.js'))

// In seconds, only to end what hangs: a busy machine may be slow. Otherwise tap takes thirty for slow.
process.env.TAP_TIMEOUT ??= '900'

// For the lines in errors, and in what tap says of a failure.
process.setSourceMapsEnabled(true)
