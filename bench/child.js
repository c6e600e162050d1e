import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { BenchError } from './bench-error.js'

/**
 * Starts a module of the bench in its own process, and waits for what it says first.
 *
 * @param file its path from here
 * @param options `args` and `execArgv`; none of our own arguments are handed on
 * @throws BenchError when it ends without a word, or says `{ error }`
 */
export async function start (file, { args = [], execArgv = [] } = {}) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args, { execArgv })
  const message = await messageOf(child, [file, ...args].join(' '))
  return { child, message }
}

/** As `start`, for a module that says one thing and ends. */
export async function run (file, options) {
  const { child, message } = await start(file, options)
  if (child.exitCode === null) await once(child, 'exit')
  return message
}

/** The next message of a child. */
export async function messageOf (child, name) {
  const ended = new AbortController()
  const { signal } = ended
  try {
    const message = await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message),
      once(child, 'exit', { signal }).then(([code]) => ({ error: `It ended with code ${code}.` }))
    ])
    if (message.error === undefined) return message
    throw new BenchError(`${name}: ${message.error}`)
  } finally {
    ended.abort()
  }
}
