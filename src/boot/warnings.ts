import { format } from 'node:util'
import processWarning from 'process-warning'

/** What is probably a mistake, by code. docs/warnings.md lists cause and cure of each. */
const MESSAGES = {
  FST_WARN_VERSION_DEFAULT:
    'The default version %s is not in allowedVersions, %s: it is the version of a request that names none, and ' +
    'permitted to one that names it.',
  FST_WARN_VERSION_NAMESPACE: 'No route under %s can be asked for a version: %s.',
  FST_WARN_VERSION_PARAM: 'Under URLPathVersioning a route without the parameter %s is always %s: %s.',
  FST_WARN_VERSION_SETTING: 'The option "%s" has no effect: %s.',
  FST_WARN_VERSION_TWICE: 'fastify-versioning is registered twice in one context: %s takes the place of %s.',
  FST_WARN_VERSION_UNSEEN:
    'Routes were declared before fastify-versioning was loaded: their options "name", "version" and "versioning" ' +
    'are not seen. ' +
    'Await its registration first.'
}

export type WarningCode = keyof typeof MESSAGES

/** The warnings of one app: each text once, as a warning of the process. */
export class Warnings {
  readonly #emitted = new Set<string>()

  warn (code: WarningCode, ...details: [a?: string, b?: string, c?: string]): void {
    const message = format(MESSAGES[code], ...details)
    if (this.#emitted.has(message)) return
    this.#emitted.add(message)
    // Of its own each time, for it would tell of one app alone.
    processWarning.createWarning({ name: 'FastifyVersioningWarning', code, message })()
  }
}
