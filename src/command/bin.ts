#!/usr/bin/env node
import process from 'node:process'

import { runChangelog as changelog } from '../changelog/command.ts'
import { runCheck as check } from '../check/command.ts'

const args = process.argv.slice(2)
const [name = ''] = args
const isUnknownCommand = /^[^-]/.test(name) && name !== 'check' && name !== 'changelog'
const { code, output, errors } = isUnknownCommand
  ? { code: 2, output: '', errors: `Expected the command "check" or "changelog", got ${JSON.stringify(name)}.\n` }
  : await (name === 'changelog' ? changelog(args) : check(args))
// `exit` ends the command even if it still awaits an answer.
process.stderr.write(errors, () => process.stdout.write(output, () => process.exit(code)))
