/** The format of a date in a text: `1 January 2026`. */
export const DATE = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC'
})

/**
 * Returns a text of the app on one line, in which Markdown and HTML show as they are written, except names in
 * backticks. A URL becomes a link to itself, because a backslash would make it another URL.
 */
export function escapedText (text: string): string {
  const parts = /`[^`]+`|\bhttps?:\/\/[^\s<>`\\]*[\w/]|[\\`*_[\]<>|~#&!]/g
  const escaped = text.trim().replace(/\s+/g, ' ').replace(parts, (part) => {
    if (part.startsWith('http')) return `<${part}>`
    return part.length > 1 ? code(part.slice(1, -1)) : `\\${part}`
  })
  // At the beginning of a text, these characters would begin a list or a line.
  return escaped.replace(/^(\d+(?=[.)](?: |$))|(?=[-+=]))/, '$1\\')
}

export function code (text: string): string {
  return `\`${text.replace(/[`\s]+/g, ' ')}\``
}
