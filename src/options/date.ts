/** A date, or a date-time with its offset, without which it is not an instant. Date checks the time of the day. */
const ISO_8601 = /^(\d{4}-\d\d-\d\d)(?:T[\d:.]+(?:Z|[+-]\d\d(?::\d\d)?))?$/
/** The characters of a date. */
export const DATE_LENGTH = 10

/** Whether a text is an ISO 8601 date that the calendar has. */
export function isDate (text: string): boolean {
  return text.length === DATE_LENGTH && !Number.isNaN(parse(text))
}

/** NaN unless the text is a date or a date-time; Date itself reads 30 February as a day of March. */
export function parse (text: string): number {
  const [, date = ''] = ISO_8601.exec(text) ?? []
  const midnight = Date.parse(date)
  const isInCalendar = !Number.isNaN(midnight) && new Date(midnight).toISOString().startsWith(date)
  return isInCalendar ? Date.parse(text.replace(/T.*[+-]\d\d$/, '$&:00')) : NaN
}
