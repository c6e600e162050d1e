/** A response that has a Content-Length; null as long as it is not whole. */
export function readAnswer (text) {
  const headEnd = text.indexOf('\r\n\r\n')
  if (headEnd === -1) return null
  const body = text.slice(headEnd + 4)
  const length = /\r\ncontent-length: *(\d+)/i.exec(text)?.[1]
  if (length !== undefined && body.length < Number(length)) return null
  return { status: Number(text.slice(9, 12)), body }
}
