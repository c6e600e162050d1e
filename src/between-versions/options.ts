import { VersioningOptionError, must } from '../errors.ts'
import { unknownName } from '../messages.ts'

/**
 * Refuses what is no object of options, and options that there are not.
 *
 * @param example an object as it may be
 * @param page the page of docs/ that explains them, with its heading
 * @throws FST_ERR_VERSIONING_OPTION
 */
export function checkOptions (
  options: object, names: readonly string[], example: string, page = 'changelog.md#functions'
): void {
  must(Object.prototype.toString.call(options) === '[object Object]', 'options', `an object ${example}`, options, page)
  const unknown = Object.keys(options).find((name) => !names.includes(name))
  if (unknown !== undefined) throw new VersioningOptionError(unknownName('option', unknown, names), page)
}
