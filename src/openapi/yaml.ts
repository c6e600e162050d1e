/**
 * What YAML 1.1 reads as a date, a boolean or a number, and YAML 1.2, which @fastify/swagger writes, as text. A version
 * often is a date.
 */
const NO_TEXT_IN_1_1 = [
  /^\d{4}-\d\d?-\d\d?(?:[Tt ][\d:.]+ ?(?:[Zz]|[-+][\d:]+)?)?$/,
  /^(?:y|yes|n|no|on|off)$/i,
  /^[-+]?\d[\d_:]*(?:\.[\d_]*)?$/
]

/** A placeholder for quotes, which only the writer of YAML can set. No text has it. */
const QUOTE = '\u{F0000}'
const QUOTED = new RegExp(`${QUOTE}(.*?)${QUOTE}`, 'gsu')

/** A document whose texts are marked where a reader of YAML 1.1 would take them for something else. */
export function toYamlText (document: object): object {
  return JSON.parse(JSON.stringify(document), (_key, value: unknown) => (
    typeof value === 'string' && NO_TEXT_IN_1_1.some((one) => one.test(value)) ? QUOTE + value + QUOTE : value
  ))
}

/** YAML in which the marked texts are in quotes. */
export function fromYamlText (yaml: string): string {
  return yaml.replace(QUOTED, '"$1"')
}
