import { parseArgs } from 'node:util'

import { read } from '../check/read-document.ts'
import { printable } from '../check/report.ts'
import { changelogOf } from './documents.ts'
import { toMarkdown } from './markdown.ts'

const CHANGELOG_USAGE = `Usage: fastify-versioning changelog <document>... [--title <text>] [--json]

Prints what is different between documents of OpenAPI, files or URLs of JSON, as Markdown, the newest first. Documents
that have a version (x-api-version) may come in any order.

--title  the heading; default: Changelog
--json   prints the data
`

/** Runs the command: what it prints, and a code. 0: it is printed. 2: it failed. */
export async function runChangelog (args: string[]): Promise<{ code: 0 | 2, output: string, errors: string }> {
  if (args.includes('--help')) return { code: 0, output: CHANGELOG_USAGE, errors: '' }
  try {
    const { positionals: [, ...sources], values: { json, title } } = parseArgs({
      args,
      options: { json: { type: 'boolean' }, title: { type: 'string' } },
      allowPositionals: true
    })
    if (sources.length === 0) return { code: 2, output: '', errors: `Expected documents\n\n${CHANGELOG_USAGE}` }
    const errors = sources.length === 1 ? ['Nothing is compared: this is a single document.'] : []
    const releases = changelogOf(await Promise.all(sources.map(read)), sources, (text) => errors.push(printable(text)))
    const output = json === true ? `${JSON.stringify(releases, null, 2)}\n` : toMarkdown(releases, { title })
    return { code: 0, output, errors: errors.map((text) => `${text}\n`).join('') }
  } catch (error) {
    const { message, code } = error as NodeJS.ErrnoException
    const isUsage = code?.startsWith('ERR_PARSE_ARGS_')
    return { code: 2, output: '', errors: `${printable(message)}\n${isUsage ? `\n${CHANGELOG_USAGE}` : ''}` }
  }
}
