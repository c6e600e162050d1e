// Finds phrases that sound translated, in pages, comments, messages and test titles: npm run lint
// node scripts/lint-prose.js --all counts those of the files that are not clean yet.
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'

const ROOT = resolve(import.meta.dirname, '..')
/** What has been swept: here a phrase is an error. */
const CLEAN = new RegExp([
  '^(?:.github|examples|fuzz|scripts)/', '^docs/(?:compare|modules|neighbours|typed-names)[.]md$',
  '^(?:CODE_OF_CONDUCT|CONTRIBUTING|SECURITY)[.]md$'
].join('|'))
/** The specification keeps its words. */
const EXEMPT = /^docs\/SPEC\.md$|^scripts\/lint-prose\.js$|^test\/vectors\/|package-lock\.json$/

/** A phrase, and what to write instead. */
const PHRASES = [
  [/\b(?:that|those) of\b/i, 'repeat the noun'],
  [/\bthose (?:that|who|which)\b/i, 'name them'],
  [/\bshall\b/i, 'must, should, or the imperative'],
  [/(?<!there )\bis no (?!longer|more)[a-z]+/i, 'is not a …, or there is no …'],
  [/\b(?:a|an) [\w-]+ of (?:its|one's|ones|their|your) own\b/i, 'its own …'],
  [/[,;:] for (?!`)(?:[^\s.,:;]+ ){1,4}(?:is|are|was|were|has|have|would|cannot|can|may|must|does|do|will)\b/, 'because'],
  [/\b(?:tell|hear|name)s? (?:the|a|no|its|their|another|each) versions?\b/, 'send, specify, request'],
  [/\b(?:is|are) told\b|\bhears? (?:of|that)\b/i, 'learn, be given'],
  [/\b(?:has|have) to be\b|\bis to (?:be|hold)\b/, 'must, or the imperative'],
  [/\bat hand\b|\ball the same\b|\blest\b|\bin the place of\b/i, 'available, anyway, so that … not, instead of'],
  [/\bbeside\b/i, 'next to'],
  [/\bcures?\b/i, 'fix'],
  [/\bwho does it so\b/i, 'used by'],
  [/^\s*(?:\/\/|\/?\*+) (?:Of|[Nn]ull:|[Uu]ndefined:) /, 'a sentence with a subject']
]

const isAll = process.argv.includes('--all')
const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n')
const counts = new Map()

for (const file of files.filter((name) => /\.(?:md|[jt]sx?|mjs|mts|html|yml)$/.test(name) && !EXEMPT.test(name))) {
  if ((!isAll && !CLEAN.test(file)) || !existsSync(join(ROOT, file))) continue
  readFileSync(join(ROOT, file), 'utf8').split('\n').forEach((line, i) => {
    const found = PHRASES.filter(([phrase]) => phrase.test(line))
    if (found.length === 0) return
    const room = file.split('/').slice(0, 2).join('/')
    counts.set(room, (counts.get(room) ?? 0) + found.length)
    if (!CLEAN.test(file)) return
    for (const [, instead] of found) console.error(`${file}:${i + 1}: ${line.trim()}\n  write: ${instead}`)
    process.exitCode = 1
  })
}
if (isAll) for (const [room, count] of [...counts].sort(([, one], [, other]) => other - one)) console.log(count, room)
