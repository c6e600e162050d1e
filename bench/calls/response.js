/** A response that keeps what is sent, so that a request costs nothing but what Fastify and the plugin do. */
export class Response {
  statusCode = 200
  headersSent = false

  writeHead (_status, headers) {
    this.headers = headers
  }

  end (body) {
    this.body = body
  }

  getHeader () {}
}
