/** Where a promise is not what was asked for nobody awaits it, and its rejection must not end the process. */
export function ignoreRejection (value: unknown): void {
  if (value instanceof Promise) value.catch(() => {})
}
