import { fork } from 'node:child_process'
import { once } from 'node:events'
import { fileURLToPath } from 'node:url'

import { isSmoke } from './settings.js'

/**
 * What `measure` of a module returns in a process of its own; in smoke mode, where starts would take most of the time,
 * in this one.
 *
 * @param file its path from here
 * @param args texts and numbers
 */
export async function run (file, ...args) {
  if (isSmoke) return (await import(file)).measure(...args.map(String))
  const { child, message } = await start('./run.js', file, ...args)
  if (child.exitCode === null) await once(child, 'exit')
  return message
}

/** Starts a module in its own process, and waits for the first message of it. */
export async function start (file, ...args) {
  const child = fork(fileURLToPath(new URL(file, import.meta.url)), args.map(String))
  return { child, message: await messageOf(child, [file, ...args].join(' ')) }
}

/** The next message of a child. */
export async function messageOf (child, name) {
  const ended = new AbortController()
  const { signal } = ended
  try {
    return await Promise.race([
      once(child, 'message', { signal }).then(([message]) => message),
      once(child, 'exit', { signal }).then(([code]) => { throw new Error(`${name} ended with code ${code}.`) })
    ])
  } finally {
    ended.abort()
  }
}
