import { readFile, readdir } from 'node:fs/promises'

export interface Page { name: string, text: string, blocks: Block[] }

/** A fenced block: `info` is what follows the language, `line` the number of its first line. */
export interface Block { language: string, info: string, text: string, page: string, line: number }

/** The repository. */
export const ROOT = new URL('../../', import.meta.url)

/** The README and every page of docs/, sorted. */
export async function readPages (): Promise<Page[]> {
  const files = (await readdir(new URL('docs', ROOT))).filter((file) => file.endsWith('.md')).sort()
  return Promise.all(['README.md', ...files.map((file) => `docs/${file}`)].map(readPage))
}

/** A page of the repository, by its path from the root. */
export async function readPage (name: string): Promise<Page> {
  const text = await readFile(new URL(name, ROOT), 'utf8')
  return { name, text, blocks: blocksOf(text, name) }
}

/** The cells of the table of a page whose first line starts so. In a cell `\|` is a bar. */
export function tableOf (text: string, start: string): string[][] {
  const at = text.indexOf(start)
  if (at === -1) throw new Error(`No table starts with ${start}`)
  const [table] = text.slice(at).split('\n\n')
  return table.trimEnd().split('\n').slice(2).map((row) => (
    row.replace(/^\| | \|$/g, '').split(' | ').map((cell) => cell.replaceAll('\\|', '|'))
  ))
}

/** What stands under a heading, without its sections further down. */
export function sectionOf (text: string, heading: string): string {
  const sections = text.split(/^(?=#+ )/m)
  const found = sections.find((section) => section.split('\n')[0].replace(/^#+ /, '') === heading)
  if (found === undefined) throw new Error(`No heading is ${heading}`)
  return found
}

export function unquoted (cell: string): string {
  return cell.replace(/^`|`$/g, '')
}

function blocksOf (text: string, page: string): Block[] {
  return [...text.matchAll(/^```(\w+)(?: ([^\n]+))?\n([^]*?)\n```$/gm)].map((match) => {
    const { 1: language, 2: info = '', 3: content, index } = match
    return { language, info, text: content, page, line: text.slice(0, index).split('\n').length + 1 }
  })
}
