'use strict'

module.exports.default = function plugin (app, _options, done) {
  import('./make.ts').then(({ addRoutes }) => addRoutes(app)).then(() => done(), done)
}
