#!/usr/bin/env node
import process from 'node:process'

import { run as changelog } from '../changelog/command.ts'
import { run as check } from '../check/command.ts'

const args = process.argv.slice(2)
const [name = ''] = args
const isUnknown = /^[^-]/.test(name) && name !== 'check' && name !== 'changelog'
const { code, output, errors } = isUnknown
  ? { code: 2, output: '', errors: `Expected the command "check" or "changelog", got ${JSON.stringify(name)}.\n` }
  : await (name === 'changelog' ? changelog(args) : check(args))
// An answer that is still awaited does not keep the command from ending.
process.stderr.write(errors, () => process.stdout.write(output, () => process.exit(code)))
