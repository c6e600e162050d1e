import { shortJson } from '../check/json.ts'
import { DATE, code, escapedText } from '../openapi/markdown.ts'

import type { Release, ReleaseItem } from '../../types/changelog.d.ts'

const SECTIONS = [['breaking', 'Change your code'], ['unknown', 'Read this'], ['added', 'New']] as const
/** The most characters that a line of an example may have. */
const LONGEST_LINE = 90

export function toMarkdown (
  releases: Release | readonly Release[], options: { readonly title?: string | undefined } = {}
): string {
  const { title = 'Changelog', ...others } = Object(options) as typeof options
  if (Object(options) !== options || typeof title !== 'string' || Object.keys(others).length > 0) {
    throw new TypeError(`Expected options such as { title: 'Changes' }, got ${shortJson(options)}.`)
  }
  if (![releases].flat().every((release: unknown) => Array.isArray(Object(release).items))) {
    throw new TypeError('Expected what changelog(), guide() or changelogOf() returns, got ' +
      `${shortJson(releases)}. For differences of compare(), use toMarkdown of fastify-versioning/check.`)
  }
  if ('version' in releases) {
    const { previous, version } = releases
    return `# From ${escapedText(String(previous))} to ${escapedText(version)}\n\n${releaseText(releases, '##')}`
  }
  const parts = releases.map((release) => `## ${escapedText(release.version)}\n\n${releaseText(release, '###')}`)
  return [`# ${escapedText(title)}\n`, ...parts].join('\n')
}

function releaseText (release: Release, level: string): string {
  const { deprecated, hasEnded, info, isPreview, items, previous, released, sunset, version } = release
  const day = (date: string) => DATE.format(Date.parse(date))
  const about = deprecated ?? sunset ? 'Leaving' : 'About'
  const facts = [
    isPreview ? 'A preview: it may change before its release.' : released !== null && `Release date: ${day(released)}.`,
    deprecated !== null && `Deprecated from ${day(deprecated)}.`,
    sunset !== null && `${hasEnded ? 'Ended' : 'Ends'} on ${day(sunset)}.`,
    info !== null && `[${about} ${escapedText(version)}](<${info.replace(/[<>\s]/g, encodeURIComponent)}>)`,
    previous !== null && items.length === 0 && `Nothing is different for clients of ${escapedText(previous)}.`
  ].filter(Boolean).join(' ')
  const sections = SECTIONS.flatMap(([urgency, heading]) => {
    const some = items.filter((item) => item.urgency === urgency)
    return some.length === 0 ? [] : [`${level} ${heading}\n\n${some.map((item) => itemText(item, release)).join('')}`]
  })
  return [facts && `${facts}\n`, ...sections].filter(Boolean).join('\n')
}

function itemText (item: ReleaseItem, { previous, version }: Release): string {
  const { differences, endpoints, examples, sentences } = item
  const isBare = sentences.length === 0 && differences.length === 1
  const [{ text }] = isBare ? differences : [{ text: '' }]
  const sentence = sentences.length > 0 && `**${escapedText(sentences.join(' '))}**`
  const head = isBare ? `${escapedText(text.charAt(0).toUpperCase() + text.slice(1))}.` : sentence
  // Of whole endpoints, the sentence says these differences.
  const listed = isBare ? [] : differences.filter(({ text }) => !/^(?:is new|was removed)$/.test(text))
  return [
    ['-', head, endpoints.map(code).join(', ')].filter(Boolean).join(' '),
    ...listed.map(({ text, endpoints: differing }) => {
      const where = [0, endpoints.length].includes(differing.length) ? '' : ` (${differing.map(code).join(', ')})`
      return `  - ${escapedText(text)}${where}`
    }),
    ...examples.map(({ schema, before, after }) => (
      `\n  ${escapedText(schema)} in ${escapedText(String(previous))} and in ${escapedText(version)}:\n\n` +
      `  \`\`\`js\n  ${exampleText(before)}\n  ${exampleText(after)}\n  \`\`\`\n`
    ))
  ].join('\n') + '\n'
}

/** Returns an example, on one line if it is short. Backticks are escaped, so that no text ends the block of code. */
function exampleText (value: unknown): string {
  const lines = JSON.stringify(value, null, 2).replaceAll('`', '\\u0060')
  const line = lines.replace(/([[{])?\n *(?=([\]}])?)/g, (_all, open?: string, close?: string) => (
    open === '[' || close === ']' ? open ?? '' : `${open ?? ''} `
  ))
  return line.length <= LONGEST_LINE ? line : lines.replaceAll('\n', '\n  ')
}
