/**
 * Sets a parameter in the query of a URL. A parameter of that name is replaced where it first stands and removed where
 * it stands again; a new one comes last. All other parameters, their order, their spelling and a fragment stay.
 *
 * @param url absolute or relative, with or without a query and a fragment
 * @param name the decoded name; names in the URL are decoded for the comparison (`+` is a space)
 * @param value the decoded value; a lone surrogate becomes U+FFFD
 */
export function setQueryParameter (url: string, name: string, value: string): string {
  const parameter = `${encode(name)}=${encode(value)}`
  const [beforeFragment, fragment] = cut(url, '#')
  const [path, query] = cut(beforeFragment, '?')
  if (query.length <= 1) return `${path}?${parameter}${fragment}`

  const kept: string[] = []
  let isSet = false
  for (const pair of query.slice(1).split('&')) {
    if (decodedName(pair) !== name) {
      kept.push(pair)
    } else if (!isSet) {
      kept.push(parameter)
      isSet = true
    }
  }
  if (!isSet) kept.push(parameter)
  return `${path}?${kept.join('&')}${fragment}`
}

/** The text before the first `mark`, and the rest with the mark. */
function cut (text: string, mark: string): [before: string, rest: string] {
  const at = text.indexOf(mark)
  return at === -1 ? [text, ''] : [text.slice(0, at), text.slice(at)]
}

function encode (text: string): string {
  return encodeURIComponent(text.toWellFormed())
}

function decodedName (pair: string): string {
  const [name] = pair.split('=', 1)
  if (!/[%+]/.test(name)) return name
  const spaced = name.replaceAll('+', ' ')
  try {
    return decodeURIComponent(spaced)
  } catch {
    return spaced
  }
}
