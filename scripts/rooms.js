import { existsSync, readFileSync, readdirSync } from 'node:fs'

// The rules of imports: what CONTRIBUTING.md draws. A box begins with the names of folders and files of src/, which are
// a room; an arrow leads to a room that it may import.

const ROOT = new URL('..', import.meta.url)
const BOX = /\b(\w+)\["([^":]+):/g
const ARROW = /^ *(\w+)(?:\[[^\]]*\])? --> (\w+)/gm

const [, drawing] = /```mermaid\n([^]*?)```/.exec(readFileSync(new URL('CONTRIBUTING.md', ROOT), 'utf8'))
const rooms = new Map(Array.from(drawing.matchAll(BOX), ([, room, names]) => [room, names.split(', ').map(pathOf)]))
const arrows = Array.from(drawing.matchAll(ARROW), ([, above, below]) => ({ above, below }))
const paths = [...rooms.values()].flat()

for (const entry of readdirSync(new URL('src', ROOT), { withFileTypes: true })) {
  const path = entry.isDirectory() ? `${entry.name}/` : entry.name
  if (!paths.includes(path)) throw new Error(`Draw src/${path} in CONTRIBUTING.md: it is in no room.`)
}

for (const room of rooms.keys()) {
  if (below(room).has(room)) throw new Error(`CONTRIBUTING.md draws a circle through ${room}.`)
}

export default {
  forbidden: Array.from(rooms.keys(), (room) => ({
    name: room,
    comment: 'In the drawing of CONTRIBUTING.md, no way down leads there.',
    severity: 'error',
    from: { path: `^src/(?:${patternOf([room])})` },
    to: { path: `^src/(?!${patternOf([room, ...below(room)])})` }
  }))
}

function pathOf (name) {
  const path = name.endsWith('.ts') ? name : `${name}/`
  if (!existsSync(new URL(`src/${path}`, ROOT))) throw new Error(`CONTRIBUTING.md draws src/${path}: there is none.`)
  return path
}

/** All rooms to which arrows lead from one. */
function below (room, found = new Set()) {
  for (const arrow of arrows) {
    if (!rooms.has(arrow.below)) throw new Error(`CONTRIBUTING.md has an arrow to ${arrow.below}: name its folders.`)
    if (arrow.above === room && !found.has(arrow.below)) below(arrow.below, found.add(arrow.below))
  }
  return found
}

function patternOf (names) {
  return names.flatMap((name) => rooms.get(name)).join('|').replaceAll('.', '\\.')
}
