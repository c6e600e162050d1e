import { parseArgs } from 'node:util'

import { runCommand } from '../check/command.ts'
import { read } from '../check/read-document.ts'
import { printable } from '../check/report.ts'
import { changelogOf } from './documents.ts'
import { toMarkdown } from './markdown.ts'

import type { Outcome } from '../check/command.ts'

const CHANGELOG_USAGE = `Usage: fastify-versioning changelog <document>... [--title <text>] [--json]

Prints what is different between documents of OpenAPI, files or URLs of JSON, as Markdown, the newest first. Documents
that have a version (x-api-version) may come in any order.

--title  the heading; default: Changelog
--json   prints the data
`

export function runChangelog (args: string[]): Promise<Outcome> {
  return runCommand(args, CHANGELOG_USAGE, async () => {
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
  })
}
