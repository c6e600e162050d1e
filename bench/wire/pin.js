import { execFile } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { promisify } from 'node:util'

const run = promisify(execFile)

/**
 * Keeps a process, with all its threads, on one core, so that the load and the server do not end up on the same one by
 * chance. Where there is no taskset, or only one core, it goes where it likes.
 *
 * @param core its number, from 0
 */
export async function pin (pid, core) {
  await taskset(pid, String(core))
}

/** Lets a process on every core again. */
export async function unpin (pid) {
  await taskset(pid, `0-${availableParallelism() - 1}`)
}

async function taskset (pid, cores) {
  if (availableParallelism() === 1) return
  try {
    await run('taskset', ['--all-tasks', '--cpu-list', '--pid', cores, String(pid)])
  } catch {}
}
