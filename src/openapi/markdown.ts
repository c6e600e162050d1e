/** A date as a text has it: `1 January 2026`. */
export const DATE = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC'
})

/**
 * A text of the app on one line, in which Markdown and HTML show as they are written, but for names in backticks. A URL
 * is a link to itself, because a backslash in it would make another one.
 */
export function escapedText (text: string): string {
  const parts = /`[^`]+`|\bhttps?:\/\/[^\s<>`\\]*[\w/]|[\\`*_[\]<>|~#&!]/g
  const escaped = text.trim().replace(/\s+/g, ' ').replace(parts, (part) => {
    if (part.startsWith('http')) return `<${part}>`
    return part.length > 1 ? code(part.slice(1, -1)) : `\\${part}`
  })
  // At its beginning, a list or a line would begin.
  return escaped.replace(/^(\d+(?=[.)](?: |$))|(?=[-+=]))/, '$1\\')
}

export function code (text: string): string {
  return `\`${text.replace(/[`\s]+/g, ' ')}\``
}
