#!/usr/bin/env node
import process from 'node:process'

import { run as changelog } from '../changelog/command.ts'
import { run as check } from '../check/command.ts'

const args = process.argv.slice(2)
const { code, output, errors } = await (args[0] === 'changelog' ? changelog(args) : check(args))
// An answer that is still awaited does not keep the command from ending.
process.stderr.write(errors, () => process.stdout.write(output, () => process.exit(code)))
