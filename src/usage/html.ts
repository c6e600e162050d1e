/** HTML that is safe to be put into a page. */
export class Html {
  readonly text: string

  constructor (text: string) {
    this.text = text
  }
}

type Part = Html | string | number | null | undefined | false | readonly Part[]

const ESCAPES: Readonly<Record<string, string>> = {
  '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;'
}

/** A template of HTML. What is put in is escaped, unless it is HTML itself. */
export function html (texts: TemplateStringsArray, ...parts: readonly Part[]): Html {
  return new Html(texts.map((text, i) => text + render(parts[i])).join(''))
}

function render (part: Part): string {
  if (Array.isArray(part)) return part.map(render).join('')
  if (part instanceof Html) return part.text
  return part === null || part === undefined || part === false ? '' : escape(String(part))
}

function escape (text: string): string {
  return text.replace(/[&<>"']/g, (character) => ESCAPES[character])
}

/** A text in which names are in backticks. */
export function marked (text: string): Html {
  return new Html(escape(text).replace(/`([^`]+)`/g, '<code>$1</code>'))
}

/** Of the page: there is no script, and nothing comes from elsewhere. */
export const STYLE = new Html(`
:root { color-scheme: light dark; --line: light-dark(#d8dee6, #3a424d); --quiet: light-dark(#5a6472, #a0aab8);
  --panel: light-dark(#f5f7fa, #1b2027); --name: light-dark(#0a58b0, #8bf); --bad: light-dark(#b00020, #ff8a80);
  --soon: light-dark(#8a5300, #f0b95a); --good: light-dark(#13753a, #6fd694) }
* { box-sizing: border-box }
body { font: 16px/1.5 system-ui, sans-serif; max-width: 72rem; margin: 2rem auto; padding: 0 1rem;
  overflow-wrap: anywhere }
h1 { font-size: 1.75rem; line-height: 1.2; margin: 0 0 .5rem } h2 { font-size: 1.25rem; margin: 2rem 0 .5rem }
p { margin: .25rem 0 } small, .quiet { color: var(--quiet); font-size: .875rem }
code { font-size: .875em; color: var(--name) }
.bad { color: var(--bad) } .soon { color: var(--soon) } .good { color: var(--good) }
ul { margin: .25rem 0; padding-left: 1.25rem } li { margin: .125rem 0 } summary { cursor: pointer }
.cards { display: grid; grid-template-columns: repeat(auto-fit, minmax(18rem, 1fr)); gap: 1rem; margin: 1rem 0 }
.cards article { background: var(--panel); border-radius: .5rem; padding: .75rem 1rem }
.cards h2 { margin: 0; display: flex; justify-content: space-between; gap: 0 1rem; align-items: baseline;
  flex-wrap: wrap }
.cards h2 small { font-weight: 400 }
svg { display: block; width: 100%; height: 3.5rem; margin: .5rem 0 0; border-bottom: 1px solid var(--line);
  fill: var(--name) }
svg.soon { fill: var(--soon) } svg.bad { fill: var(--bad) } td p:first-child { margin-top: 0 }
.axis { display: flex; justify-content: space-between; color: var(--quiet); font-size: .75rem }
dl { display: grid; grid-template-columns: 1fr auto; margin: .5rem 0 0; font-size: .875rem; gap: 0 1rem }
dd { margin: 0; text-align: right; font-variant-numeric: tabular-nums }
table { border-collapse: collapse; width: 100% }
th, td { border-top: 1px solid var(--line); padding: .5rem; text-align: left; vertical-align: top }
th:first-child, td:first-child { padding-left: 0 } .date { white-space: nowrap }
th { color: var(--quiet); font-size: .875rem; font-weight: 600 }
@media (max-width: 48rem) {
  body { margin: 1rem auto } thead { display: none }
  tr { display: block; border-top: 1px solid var(--line); padding: .75rem 0 }
  td { display: block; border: 0; padding: .125rem 0 }
}
`)
