let count = 0

/**
 * Makes the requests to a contestant. All contestants get the same headers, with a version in every place that one of
 * them reads, so that reading headers costs each the same.
 */
export function requestsTo ({ url, isNew = false }) {
  const text = textOf(url, 'application/json;version=v1')
  if (!isNew) return () => text
  return () => textOf(url, `application/json;version=v1;n=${count++}`)
}

function textOf (url, accept) {
  return [
    `GET ${url} HTTP/1.1`,
    'Host: v1.example.com',
    `Accept: ${accept}`,
    'Accept-Version: 1.0.0',
    'Api-Version: 1',
    'X-API-Version: v1',
    '\r\n'
  ].join('\r\n')
}
