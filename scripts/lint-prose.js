// Finds phrases that sound translated, in pages, comments, messages and test titles, and long sentences in pages:
// npm run lint
import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import process from 'node:process'

const ROOT = resolve(import.meta.dirname, '..')
/** The specification keeps its words. */
const EXEMPT = /^docs\/SPEC\.md$|^scripts\/lint-prose\.js$|^test\/vectors\/|package-lock\.json$/

/** A phrase, and what to write instead. */
const PHRASES = [
  [/\b(?:that|those) of\b/i, 'repeat the noun'],
  [/\bthose (?:that|who|which)\b/i, 'name them'],
  [/\bshall\b/i, 'must, should, or the imperative'],
  [/(?<!there )\bis no (?!longer|more)[a-z]+/i, 'is not a …, or there is no …'],
  [/\b(?:a|an) [\w-]+ of (?:its|one's|ones|their|your) own\b/i, 'its own …'],
  [/[,;:] for (?!`)(?:[^\s.,:;]+ ){1,4}(?:is|are|was|were|has|have|would|cannot|can|may|must|do|does|will)\b/,
    'because'],
  [/\b(?:tell|hear|name)s? (?:the|a|no|its|their|another|each) versions?\b/, 'send, specify, request'],
  [/\b(?:is|are) told\b|\bhears? (?:of|that)\b/i, 'learn, be given'],
  [/\b(?:has|have) to be\b|\bis to (?:be|hold)\b/, 'must, or the imperative'],
  [/\bat hand\b|\ball the same\b|\blest\b|\bin the place of\b/i, 'available, anyway, so that … not, instead of'],
  [/\bbeside\b/i, 'next to'],
  [/\bcures?\b/i, 'fix'],
  [/\bwho does it so\b/i, 'used by'],
  [/^\s*(?:\/\/|\/?\*+) (?:Of|[Nn]ull:|[Uu]ndefined:) /, 'a sentence with a subject'],
  [/^\s*(?:\/\/|\/?\*+).*[;,] (?:null|undefined|absent|none): /, 'or null if there is none'],
  [/\bTo be (?:called|asked)\b/, 'Call it, use it']
]

/** The most words of a sentence in a page; code does not count. */
const WORDS = 30
/** The changelog lists facts, and cells of the architecture list files. */
const LONG = /^CHANGELOG\.md$/
const LISTS = /^docs\/architecture\.md$/

const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n')

for (const file of files.filter((name) => /\.(?:md|[jt]sx?|mjs|mts|html|yml)$/.test(name) && !EXEMPT.test(name))) {
  if (!existsSync(join(ROOT, file))) continue
  const text = readFileSync(join(ROOT, file), 'utf8')
  if (file.endsWith('.md') && !LONG.test(file)) {
    for (const { line, words, sentence } of longSentencesOf(text, LISTS.test(file))) {
      console.error(`${file}:${line}: ${words} words: ${sentence}\n  write: two sentences`)
      process.exitCode = 1
    }
  }
  text.split('\n').forEach((line, i) => {
    const found = PHRASES.filter(([phrase]) => phrase.test(line))
    if (found.length === 0) return
    for (const [, instead] of found) console.error(`${file}:${i + 1}: ${line.trim()}\n  write: ${instead}`)
    process.exitCode = 1
  })
}

/** Sentences with too many words. A colon ends a sentence, and so do an item of a list and a cell of a table. */
function longSentencesOf (text, hasLists) {
  const found = []
  const prose = text.replace(/^```[^]*?^```$/gm, (block) => block.replace(/[^\n]/g, ''))
  let line = 1
  for (const block of prose.split(/(?<=\n)(?=\n|#|\||\s*(?:[*-]|\d+\.) )/)) {
    const cells = block.startsWith('|') ? (hasLists ? [] : block.split(' | ')) : [block]
    for (const sentence of cells.flatMap((cell) => sentencesOf(cell))) {
      const words = sentence.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length
      if (words > WORDS) found.push({ line, words, sentence })
    }
    line += block.split('\n').length - 1
  }
  return found
}

function sentencesOf (text) {
  const plain = text.trim().replace(/\s+/g, ' ').replace(/\]\([^)]*\)/g, ']').replace(/`[^`]*`/g, '`')
  return plain.split(/(?<=[.!?:]\**) (?=["`*[(\d\p{Lu}])/u)
}
