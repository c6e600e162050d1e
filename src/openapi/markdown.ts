/** A date as a text has it: `1 January 2026`. */
export const DATE = new Intl.DateTimeFormat('en-GB', {
  day: 'numeric', month: 'long', year: 'numeric', timeZone: 'UTC'
})

/** A text of the app on one line, in which Markdown and HTML show as they are written, but for names in backticks. */
export function escapedText (text: string): string {
  return text.trim().replace(/\s+/g, ' ').replace(/`[^`]+`|[\\`*_[\]<>|~#&!]/g, (part) => (
    part.length > 1 ? code(part.slice(1, -1)) : `\\${part}`
  ))
}

export function code (text: string): string {
  return `\`${text.replace(/[`\s]+/g, ' ')}\``
}
