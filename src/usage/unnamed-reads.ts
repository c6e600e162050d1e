import type { Places } from './visit.ts'

/** How a function begins whose first argument is a pattern, up to a name that is not in the body, for example. */
const ARGUMENT = '^[^({=]*\\(\\s*\\{(?:[^{})]|\\{[^{}]*\\}|\\braw\\s*:\\s*\\{)*\\b'
/** How a function begins whose first argument has a name. */
const REQUEST = /^[^(=]*?(?:\(\s*|\b)([\w$]+)\s*[,)=]/

/**
 * Whether the source of a function reads what has the version, but not by the name of the version: the URL, the host,
 * all fields at once, or a field whose name is a variable.
 */
export function hasUnnamedRead (source: string, { headers, query, params, raw }: Places): boolean {
  const holders = Object.entries({ headers, query, params }).filter(([, names]) => names.length > 0)
  return holders.some(([name]) => readsAll(source, name)) ||
    (headers.includes('host') && /\bhostname\b/.test(source)) ||
    (raw.includes('url') && readsUrl(source))
}

/** @param name `headers`, `query` or `params` */
function readsAll (source: string, name: string): boolean {
  const has = (pattern: string) => new RegExp(pattern).test(source)
  // As in `headers[NAME]`.
  if (has(`\\b${name}\\s*(?:\\?\\.)?\\[(?!\\s*['"\`])`)) return true
  // As in `{ ...request.headers }` and `log(request.headers)`.
  if (has(`(?:\\.{3}|[(,]\\s*(?=[\\w$]+\\.))(?:[\\w$]+\\.)*${name}\\s*[,)}]`)) return true
  // As in `async ({ headers: fields }) => …`.
  if (has(`${ARGUMENT}${name}\\s*:\\s*[\\w$]+\\s*[,}]`)) return true
  // As in `const { headers } = request`, and then `log(headers)`.
  const taken = new RegExp(`(?:${ARGUMENT}${name}\\b[^}]*|\\{[^{}]*\\b${name}\\b[^{}]*\\}\\s*=[^=>])`).exec(source)
  const isPassedOn = new RegExp(`\\(\\s*(?:[^()]*,\\s*)?${name}\\s*[,)]`)
  return taken !== null && isPassedOn.test(source.slice(taken.index + taken[0].length))
}

function readsUrl (source: string): boolean {
  const has = (pattern: string) => new RegExp(pattern).test(source)
  if (has('\\boriginalUrl\\b') || has(`${ARGUMENT}url\\b`)) return true
  const request = REQUEST.exec(source)?.[1].replace(/\$/g, '\\$&')
  if (request === undefined) return false
  // As in `request.url` and `const { url } = request`.
  return has(`(?<![\\w$.])${request}(?:\\.raw)?\\.url\\b`) ||
    has(`\\{[^{}]*\\burl\\b[^{}]*\\}\\s*=\\s*${request}(?:\\.raw)?(?![\\w$]|\\s*\\??\\.)`)
}
