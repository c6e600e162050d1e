import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { createRequire } from 'node:module'
import { fileURLToPath } from 'node:url'

import type { Test } from 'tap'

const ROOT = fileURLToPath(new URL('../..', import.meta.url))
const TSX = createRequire(import.meta.url).resolve('tsx/cli')

/**
 * Starts an example by the line that starts it, on a free port. It is ended after the test.
 *
 * @returns its origin and what it prints
 */
export async function start (t: Test, story: string): Promise<{ origin: string, output: string }> {
  const example = spawn(process.execPath, [TSX, `examples/${story}/server.ts`], {
    cwd: ROOT, env: { ...process.env, PORT: '0' }, stdio: ['ignore', 'pipe', 'inherit']
  })
  t.teardown(async () => {
    example.kill()
    if (example.exitCode === null && example.signalCode === null) await once(example, 'exit')
  })
  let output = ''
  for await (const chunk of example.stdout) {
    output += String(chunk)
    const [origin] = /http:\/\/127\.0\.0\.1:\d+/.exec(output) ?? []
    if (origin !== undefined && output.includes('curl') && output.endsWith('\n')) return { origin, output }
  }
  throw new Error(`The example ${story} has ended. It printed: ${output}`)
}
