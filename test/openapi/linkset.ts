import { parseContentType } from '../../src/http/accept.ts'

/** RFC 8288, section 3.3: a registered relation type, or a URI. */
const RELATION = /^[a-z][a-z\d.-]*$/
/** RFC 6838, section 4.2. */
const MEDIA_TYPE = /^[a-z\d][\w!#$&^.+-]*\/[a-z\d][\w!#$&^.+-]*$/i
/** RFC 5646, section 2.1. */
const LANGUAGE = /^[a-z]{1,8}(?:-[a-z\d]{1,8})*$/i
/** RFC 3986, appendix A. */
const URI = /^[a-z][a-z\d+.-]*:(?:[\w\-.~:/?#[\]@!$&'()*+,;=]|%[\da-f]{2})*$/i

/**
 * What is wrong with a set of links in JSON (RFC 9264, section 4.2) that is a catalog of APIs (RFC 9727, sections 2 and
 * 4.2). All of its URIs must be absolute, as section 4.2.1 of RFC 9264 recommends.
 */
export function wrongIn (contentType: string, text: string): string[] {
  const type = parseContentType(contentType)
  const wrong: string[] = []
  if (type?.mediaType !== 'application/linkset+json') wrong.push(`the media type is ${contentType}`)
  if (type?.parameters.get('profile') !== 'https://www.rfc-editor.org/info/rfc9727') wrong.push('no profile')
  const set = JSON.parse(text)
  if (Object.keys(set).join() !== 'linkset' || !Array.isArray(set.linkset)) return [...wrong, 'no linkset alone']
  const anchors = set.linkset.map(({ anchor }: { anchor: unknown }) => anchor)
  if (new Set(anchors).size !== anchors.length) wrong.push(`a context is there twice: ${anchors}`)
  return [...wrong, ...set.linkset.flatMap(wrongInContext)]
}

function wrongInContext ({ anchor, ...relations }: Record<string, unknown>): string[] {
  return [
    ...isUri(anchor) ? [] : [`the anchor is ${anchor}`],
    ...Object.keys(relations).length > 0 ? [] : ['a context without links'],
    ...Object.entries(relations).flatMap(([relation, targets]) => [
      ...RELATION.test(relation) || isUri(relation) ? [] : [`the relation is ${relation}`],
      ...Array.isArray(targets) && targets.length > 0 ? targets.flatMap(wrongInTarget) : [`${relation} has no targets`]
    ])
  ]
}

function wrongInTarget (target: Record<string, unknown>): string[] {
  const isText = (value: unknown) => typeof value === 'string'
  const isTexts = (value: unknown) => Array.isArray(value) && value.every(isText)
  const rules: Record<string, (value: unknown) => boolean> = {
    href: isUri,
    media: isText,
    title: isText,
    type: (value) => isText(value) && MEDIA_TYPE.test(value as string),
    hreflang: (value) => isTexts(value) && (value as string[]).every((one) => LANGUAGE.test(one)),
    'title*': (value) => Array.isArray(value) && value.every((one) => isText(one.value))
  }
  return [
    ...'href' in target ? [] : ['a target without href'],
    ...Object.entries(target).filter(([name, value]) => (
      name === 'rel' || name === 'anchor' || !(rules[name] ?? isTexts)(value)
    )).map(([name, value]) => `${name} is ${JSON.stringify(value)}`)
  ]
}

function isUri (value: unknown): boolean {
  return typeof value === 'string' && URI.test(value) && URL.canParse(value)
}
