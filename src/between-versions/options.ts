import { VersioningOptionError, must } from '../errors.ts'
import { unknownName } from '../messages.ts'

/**
 * Refuses a value that is no object, and options that do not exist.
 *
 * @param example the text of a valid object
 * @param page the page of docs/ that explains the options, with its heading
 * @throws FST_ERR_VERSIONING_OPTION
 */
export function checkOptions (
  options: object, names: readonly string[], example: string, page = 'changelog.md#functions'
): void {
  must(Object.prototype.toString.call(options) === '[object Object]', 'options', `an object ${example}`, options, page)
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new VersioningOptionError(unknownName('option', unknown, names), page)
}
