'use strict'

// As compilers make a module of `export default`.
module.exports = Object.defineProperty({ default: build }, '__esModule', { value: true })

async function build () {
  const { make } = await import('./make.ts')
  return await make()
}
