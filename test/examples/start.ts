import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { TYPESCRIPT } from '../fixtures/typescript.ts'

import type { Test } from 'tap'

const ROOT = fileURLToPath(new URL('../../', import.meta.url))

/** Starts an example on a free port, and ends it after the test. */
export async function start (t: Test, name: string): Promise<{ origin: string, output: string }> {
  const example = spawn(process.execPath, [TYPESCRIPT, `examples/${name}/server.ts`], {
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
  throw new Error(`The example ${name} has ended. It printed: ${output}`)
}
