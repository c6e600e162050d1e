import {
  VersionGoneError, VersionNotAcceptableError, VersionNotFoundError, VersioningOptionError, show
} from '../errors.ts'
import { knownFieldsOf } from './checks.ts'

/** The status of each kind of refusal; what is absent keeps its own. */
export interface StatusCodes {
  readonly notAcceptable?: number
  readonly notFound?: number
  readonly gone?: number
}

/** A refusal of ours, or one that a custom scheme makes of our classes. */
export type VersionError = VersionGoneError | VersionNotAcceptableError | VersionNotFoundError

const FIELDS = ['notAcceptable', 'notFound', 'gone']

/**
 * Reads the option `statusCodes`.
 *
 * @throws FST_ERR_VERSIONING_OPTION unless every field is a kind of refusal with an integer from 400 to 499
 */
export function toStatusCodes (value: unknown): StatusCodes {
  if (value === null) return {}
  const fields = knownFieldsOf('statusCodes', value, 'an object { notAcceptable?, notFound?, gone? }, or null', FIELDS)
  for (const [kind, code] of fields) {
    if (Number.isInteger(code) && Number(code) >= 400 && Number(code) <= 499) continue
    throw new VersioningOptionError(`statusCodes.${kind}`, 'an integer from 400 to 499', show(code))
  }
  return Object.fromEntries(fields)
}

export function isVersionError (error: unknown): error is VersionError {
  return error instanceof VersionNotFoundError || error instanceof VersionNotAcceptableError ||
    error instanceof VersionGoneError
}

/** The error with the status that is configured for its kind. */
export function withStatus (error: VersionError, codes: StatusCodes): VersionError {
  const code = codes[kindOf(error)] ?? error.statusCode
  return code === error.statusCode ? error : copyOf(error, code)
}

function kindOf (error: VersionError): keyof StatusCodes {
  if (error instanceof VersionGoneError) return 'gone'
  return error instanceof VersionNotFoundError ? 'notFound' : 'notAcceptable'
}

/** A scheme may throw one error again and again, in contexts that want different codes of it. */
function copyOf (error: VersionError, statusCode: number): VersionError {
  const copy = Object.setPrototypeOf(new Error(error.message), Object.getPrototypeOf(error))
  const status = { value: statusCode, configurable: true, enumerable: true, writable: true }
  return Object.defineProperties(copy, { ...Object.getOwnPropertyDescriptors(error), statusCode: status })
}
