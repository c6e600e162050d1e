const MONTHS = [
  'January', 'February', 'March', 'April', 'May', 'June', 'July', 'August', 'September', 'October', 'November',
  'December'
]

const IMF_FIXDATE = /^(?:Mon|Tue|Wed|Thu|Fri|Sat|Sun), (\d\d) (\w{3}) (\d{4}) ([\d:]{8}) GMT$/
const RFC850_DATE = /^(?:Mon|Tues|Wednes|Thurs|Fri|Satur|Sun)day, (\d\d)-(\w{3})-(\d\d) ([\d:]{8}) GMT$/
const ASCTIME_DATE = /^(Mon|Tue|Wed|Thu|Fri|Sat|Sun) (\w{3}) ([ \d]\d) ([\d:]{8}) (\d{4})$/

/** Reads a date of a structured field, `@1688169599` (RFC 9651, section 3.3.7); null: it is malformed. */
export function structuredDate (text: string): Date | null {
  const [, seconds] = /^@(-?\d{1,12})(?:;.*)?$/.exec(text) ?? []
  return seconds ? new Date(+seconds * 1000) : null
}

/** Reads an HTTP-date in each of its three forms (RFC 9110, section 5.6.7); null: it is malformed. */
export function httpDate (text: string): Date | null {
  const fixed = text.replace(ASCTIME_DATE, '$1, $3 $2 $5 $4 GMT').replace(',  ', ', 0')
  const [, day, month, year, time] = IMF_FIXDATE.exec(fixed) ?? RFC850_DATE.exec(fixed) ?? []
  if (!year) return null
  const now = new Date()
  const dateOf = (century: number) => {
    const full = `${day} ${month} ${year[2] ? year : century + year} ${time.replace(/60$/, '59')} GMT`
    const date = new Date(`Thu, ${full}`)
    // What is no date, such as 31 February, is another one or none.
    return date.toUTCString().slice(5) === full ? date : null
  }
  const century = Math.floor(now.getUTCFullYear() / 100)
  const date = dateOf(century)
  // A year of two digits is never more than fifty years ahead.
  return !year[2] && date && +date > now.setUTCFullYear(now.getUTCFullYear() + 50) ? dateOf(century - 1) : date
}

/** A day in UTC as a sentence has it: `1 January 2026`. */
export function dayOf (date: Date): string {
  return `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`
}
