/** Runs `measure` of a module with the other arguments, and says what it returns. */
const [file, ...args] = process.argv.splice(2)
const { measure } = await import(file)
process.send(await measure(...args))
process.disconnect()
