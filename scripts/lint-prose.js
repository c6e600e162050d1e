// Finds phrases that sound translated, in pages, comments, messages and test titles, and long sentences in pages and
// comments: npm run lint
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
  [/\basked? for\b[^.,;:`]*\bversion\b|\bversion\b[^.,;:`]*\b(?:is|are) asked for\b/i, 'request, specify'],
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

/** The most words of a sentence in a page or a comment; code does not count. */
const WORDS = 30
/** The changelog lists facts, and cells of the architecture list files. */
const LONG = /^CHANGELOG\.md$/
const LISTS = /^docs\/architecture\.md$/

const files = execFileSync('git', ['ls-files'], { cwd: ROOT, encoding: 'utf8' }).split('\n')

for (const file of files.filter((name) => /\.(?:md|[jt]sx?|mjs|mts|html|yml)$/.test(name) && !EXEMPT.test(name))) {
  if (!existsSync(join(ROOT, file))) continue
  const text = readFileSync(join(ROOT, file), 'utf8')
  const isPage = file.endsWith('.md')
  const blocks = isPage ? blocksOf(text) : commentsOf(text)
  for (const { line, words, sentence } of LONG.test(file) ? [] : longSentencesOf(blocks, LISTS.test(file))) {
    report(`${file}:${line}: ${words} words: ${sentence}`, 'two sentences')
  }
  // Phrases are sought in each line, and in blocks, because a line may end inside a phrase.
  const lines = text.split('\n').map((line, i) => ({ line: i + 1, text: line }))
  const wrapped = blocks.map(({ line, text }) => ({ line, text: joined(text) }))
  for (const [phrase, instead] of PHRASES) {
    const inLines = lines.filter(({ text }) => phrase.test(text))
    const found = inLines.length > 0 ? inLines : wrapped.filter(({ text }) => phrase.test(text))
    for (const { line, text } of found) report(`${file}:${line}: ${text.trim()}`, instead)
  }
}

function report (what, instead) {
  console.error(`${what}\n  write: ${instead}`)
  process.exitCode = 1
}

/** Paragraphs, items, rows and titles of a page, without its code and the addresses of its links. */
function blocksOf (text) {
  const prose = text.replace(/^```[^]*?^```$|^\[[^\]]+\]: .*$/gm, (block) => block.replace(/[^\n]/g, ''))
  return numbered(prose.split(/(?<=\n)(?=\n|#|\||\s*(?:[*-]|\d+\.) )/))
}

/** Comments of a source, without their asterisks. Tags of JSDoc and indented lines are comments, too. */
function commentsOf (text) {
  const parts = text.split(/(^ *\/\*\*?(?: |$)[^]*?\*\/$|(?:^ *\/\/(?: .*)?\n)+)/m)
  return numbered(parts).filter((_part, i) => i % 2 === 1).flatMap(({ line, text }) => (
    numbered(text.split(/(?<=\n)(?= *\* @| *\*\n| *\* [*-] | *\/\/(?: {2,}|\n))/)).map((part) => ({
      line: line + part.line - 1,
      text: part.text.replace(/^ *(?:\/\*\*?|\*\/|\*|\/\/) ?/gm, '').replace(/ *\*\/$/, '').replace(/^@\w+ /, '')
    }))
  ))
}

/** Texts with the line at which each begins. */
function numbered (texts) {
  let line = 1
  return texts.map((text) => {
    const at = line
    line += text.split('\n').length - 1
    return { line: at, text }
  })
}

/** Sentences with too many words. A colon ends a sentence, and so do an item of a list and a cell of a table. */
function longSentencesOf (blocks, hasLists) {
  const found = []
  for (const { line, text } of blocks) {
    const cells = text.startsWith('|') ? (hasLists ? [] : text.split(' | ')) : [text]
    for (const sentence of cells.flatMap((cell) => sentencesOf(cell))) {
      const words = sentence.split(/\s+/).filter((word) => /[\p{L}\d]/u.test(word)).length
      if (words > WORDS) found.push({ line, words, sentence })
    }
  }
  return found
}

function sentencesOf (text) {
  const plain = joined(text).replace(/\]\([^)]*\)/g, ']').replace(/`[^`]*`/g, '`')
  return plain.split(/(?<=[.!?:]\**) (?=["`*[(\d\p{Lu}])/u)
}

function joined (text) {
  return text.trim().replace(/\s+/g, ' ')
}
