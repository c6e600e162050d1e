/** Whether a value can be awaited. */
export function isThenable (value: unknown): value is PromiseLike<unknown> {
  return typeof value === 'object' && value !== null && 'then' in value && typeof value.then === 'function'
}

/** Where a promise is not what was asked for nobody awaits it, and its rejection must not end the process. */
export function ignoreRejection (value: unknown): void {
  for (const one of Array.isArray(value) ? value : [value]) {
    if (one instanceof Promise) one.catch(() => {})
  }
}
