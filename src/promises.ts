/** Whether a value can be awaited. */
export function isThenable (value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && typeof (value as { then?: unknown }).then === 'function'
}

/** A promise where a value was expected is not awaited, and its rejection must not end the process. */
export function ignoreRejection (value: unknown): void {
  for (const member of Array.isArray(value) ? value : [value]) {
    if (isThenable(member)) Promise.resolve(member).catch(() => {})
  }
}
