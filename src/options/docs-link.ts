import { VersioningOptionError } from '../errors.ts'
import { show } from '../messages.ts'
import { knownFieldsOf } from './checks.ts'
import { quotedAttribute, textAttribute } from '../http/headers.ts'
import { toUriText } from '../http/uri.ts'

/** A link to a page that says more, ready for a Link header. */
export interface DocsLink {
  /** In ASCII. */
  readonly href: string
  /** The text that a reader sees, or null. */
  readonly title: string | null
  /** As they follow the relation: `; type="text/html"`. */
  readonly attributes: string
}

/** RFC 6838 section 4.2, `type-name "/" subtype-name`. */
const MEDIA_TYPE = /^[a-z\d][\w!#$&^.+-]{0,126}\/[a-z\d][\w!#$&^.+-]{0,126}$/i
/** RFC 5646 section 2.1, as far as its form goes. */
const LANGUAGE_TAG = /^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/i
const SCHEME = /^[a-z][a-z\d+.-]*:/i
// eslint-disable-next-line no-control-regex
const CONTROL = /[\0-\x1f\x7f-\x9f]/

const EXPECTED = 'a URL, { href, type?, title?, hreflang? }, or a list of these'
const FIELDS = ['href', 'type', 'title', 'hreflang']

/**
 * Reads links to pages that say more.
 *
 * @param option the option that it is the value of, for the error
 * @param value a URL, an object `{ href, type?, title?, hreflang? }`, or a list of these
 * @throws FST_ERR_VERSIONING_OPTION naming the field and the value
 */
export function toDocsLinks (option: string, value: unknown): DocsLink[] {
  return Array.isArray(value) ? value.map((one, i) => toDocsLink(`${option}.${i}`, one)) : [toDocsLink(option, value)]
}

function toDocsLink (option: string, value: unknown): DocsLink {
  if (typeof value === 'string') return { href: toHref(option, value), title: null, attributes: '' }
  const fields = knownFieldsOf(option, value, EXPECTED, FIELDS)
  const href = toHref(`${option}.href`, fields.get('href'))
  const title = fields.has('title') ? toTitle(`${option}.title`, fields.get('title')) : null
  const attributes = [
    ...fields.has('type') ? [quotedAttribute('type', toType(`${option}.type`, fields.get('type')))] : [],
    ...title === null ? [] : [textAttribute('title', title)],
    ...fields.has('hreflang') ? toLanguages(`${option}.hreflang`, fields.get('hreflang')) : []
  ]
  return { href, title, attributes: attributes.join('') }
}

/** An absolute URL in its normal form, or a reference as it is written: clients resolve it. */
function toHref (option: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && !CONTROL.test(value) && value.trim() === value) {
    if (!SCHEME.test(value) && URL.canParse(value, 'http://localhost')) return toUriText(value)
    if (/^https?:/i.test(value) && URL.canParse(value)) return toUriText(new URL(value).href)
  }
  throw new VersioningOptionError(option, 'an http or https URL, or a reference to one', show(value))
}

function toType (option: string, value: unknown): string {
  if (typeof value === 'string' && MEDIA_TYPE.test(value)) return value
  throw new VersioningOptionError(option, "a media type such as 'text/html'", show(value))
}

function toTitle (option: string, value: unknown): string {
  if (typeof value === 'string' && value !== '' && !CONTROL.test(value)) return value
  throw new VersioningOptionError(option, 'a text without control characters', show(value))
}

function toLanguages (option: string, value: unknown): string[] {
  return [value].flat().map((tag) => {
    if (typeof tag === 'string' && LANGUAGE_TAG.test(tag)) return quotedAttribute('hreflang', tag)
    throw new VersioningOptionError(option, "a language tag such as 'en-GB', or a list of these", show(value))
  })
}
