/** Whether a value can be awaited. */
export function isThenable (value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

/** Ignores the rejection of a promise that nobody awaits, because it would end the process. */
export function ignoreRejection (value: unknown): void {
  for (const member of Array.isArray(value) ? value : [value]) {
    if (isThenable(member)) Promise.resolve(member).catch(() => {})
  }
}
