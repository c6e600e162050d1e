import { parse } from 'acorn'

import type { AnyNode, Function as FunctionNode, MemberExpression } from 'acorn'
import type { Places } from './visit.ts'

/** The options for functions of classes, scripts and modules. */
const OPTIONS = {
  ecmaVersion: 'latest', allowImportExportEverywhere: true, allowSuperOutsideMethod: true, checkPrivateFields: false
} as const
/** The names of objects that have the fields of a request. */
const REQUESTS: ReadonlySet<unknown> = new Set(['request', 'raw'])
/** The members of a reply that take a part of the answer, and the members that return it. */
const ANSWERING: ReadonlySet<unknown> = new Set(['send', 'header', 'redirect'])
const SHOWING: ReadonlySet<unknown> = new Set(['getHeader', 'getHeaders', 'serializer'])

/** The source of a handler or a hook, as a syntax tree (ESTree). */
class Source {
  /** The nodes of the source. Outer nodes come first. */
  readonly #nodes: AnyNode[]
  readonly #around = new Map<AnyNode, AnyNode>()
  readonly #root: FunctionNode
  /** The names of the parameters of the function, or null in place of a pattern. */
  readonly #params: ReadonlyArray<string | null>

  constructor (program: AnyNode) {
    this.#nodes = [program]
    for (const node of this.#nodes) {
      for (const inner of Object.values(node).flat() as Array<AnyNode | null>) {
        if (typeof inner?.type !== 'string') continue
        this.#around.set(inner, node)
        this.#nodes.push(inner)
      }
    }
    this.#root = this.#nodes.find(isFunction) as FunctionNode
    this.#params = this.#root.params.map((param) => param.type === 'Identifier' ? param.name : null)
  }

  /**
   * Tells whether the function reads what has the version, but not by the name of the version: the URL, the host, all
   * fields at once, or a field whose name is a variable.
   */
  readsUnnamed ({ headers, query, params, raw }: Places): boolean {
    const holders = Object.entries({ headers, query, params }).filter(([, names]) => names.length > 0)
    return holders.some(([name]) => !this.#reads(name).every((member) => this.#isTakenByName(member))) ||
      (headers.includes('host') && this.#reads('hostname').length > 0) ||
      (raw.includes('url') && ['url', 'originalUrl'].some((name) => this.#reads(name).length > 0))
  }

  /**
   * Tells whether the function puts each link that it makes straight into its answer: a result, a sent value, or a
   * header. Otherwise something may read the text of a link, and with it the version.
   */
  showsLinks (): boolean {
    const [, reply = null] = this.#params
    const members = this.#usesOf(reply).map((use) => this.#outer(use)).filter((outer) => outer !== this.#root)
    // A function that gets the reply, or a method of it, may make links, too.
    if (reply === null || !members.every((member) => isMember(member) && this.#isOnlyCalled(member))) return false
    if (this.#usesOf('arguments').length > 0) return false
    const links = this.#nodes.filter((node) => node.type === 'CallExpression' && nameOf(node.callee) === 'reverse')
    const mentions = this.#nodes.filter((node) => node.type === 'Identifier' && node.name === 'reverse')
    return mentions.length === links.length && links.length > 0 && links.every((link) => this.#isAnswered(link))
  }

  #outer (node: AnyNode): AnyNode {
    return this.#around.get(node) as AnyNode
  }

  /** Returns the nodes where a variable is used, but not a member of the same name. */
  #usesOf (name: string | null): AnyNode[] {
    return this.#nodes.filter((node) => {
      if (node.type !== 'Identifier' || node.name !== name) return false
      const outer = this.#outer(node)
      if (outer.type === 'MemberExpression') return outer.object === node || outer.computed
      return outer.type !== 'Property' || outer.value === node || outer.computed
    })
  }

  /** Returns the nodes where a member of the request is read: expressions, or values of a pattern. */
  #reads (name: string): AnyNode[] {
    return this.#nodes.flatMap((node) => {
      if (nameOf(node) !== name) return []
      if (node.type === 'MemberExpression') return this.#isRequest(node.object) ? node : []
      return node.type === 'Property' && this.#isRequest(this.#outer(node)) ? node.value : []
    })
  }

  /** Tells whether a node is the request, Node's request in it, or a pattern of one of them. */
  #isRequest (node: AnyNode | null | undefined): boolean {
    switch (node?.type) {
      case 'Identifier':
        return REQUESTS.has(node.name) || this.#params.includes(node.name)
      case 'MemberExpression':
        return REQUESTS.has(nameOf(node)) && this.#isRequest(node.object)
      case 'ObjectPattern': {
        const outer = this.#outer(node)
        const holder = outer.type === 'AssignmentPattern' ? this.#outer(outer) : outer
        if (holder.type === 'Property') return REQUESTS.has(nameOf(holder)) && this.#isRequest(this.#outer(holder))
        return holder === this.#root || (holder.type === 'VariableDeclarator' && this.#isRequest(holder.init))
      }
      default:
        return false
    }
  }

  /** Tells whether the source asks an object with fields only for fields by their names, or writes it. */
  #isTakenByName (node: AnyNode): boolean {
    switch (node.type) {
      case 'ObjectPattern':
        return node.properties.every((each) => each.type === 'Property' && nameOf(each) !== undefined)
      case 'AssignmentPattern':
        return this.#isTakenByName(node.left)
      case 'Identifier':
        return this.#usesOf(node.name).every((use) => this.#isUsedByName(use))
      default: {
        const outer = this.#outer(node)
        return outer.type === 'VariableDeclarator' ? this.#isTakenByName(outer.id) : this.#isUsedByName(node)
      }
    }
  }

  #isUsedByName (use: AnyNode): boolean {
    const outer = this.#outer(use)
    switch (outer.type) {
      case 'VariableDeclarator':
        return outer.id === use || (outer.id.type === 'ObjectPattern' && this.#isTakenByName(outer.id))
      case 'AssignmentExpression':
        return outer.left === use
      case 'CallExpression':
        return outer.callee === use
      case 'Property':
        return this.#outer(outer).type === 'ObjectPattern'
      default:
        return isMember(outer) || outer.type === 'AssignmentPattern'
    }
  }

  /** Tells whether a value only becomes a part of the answer. */
  #isAnswered (value: AnyNode): boolean {
    const outer = this.#outer(value)
    switch (outer.type) {
      // As a condition, a link has the same effect in each version.
      case 'ArrayExpression':
      case 'SpreadElement':
      case 'ConditionalExpression':
      case 'LogicalExpression':
        return this.#isAnswered(outer)
      case 'ObjectExpression':
        // A method in the object may read the link beside it.
        return !outer.properties.some((each) => each.type === 'Property' && each.value.type === 'FunctionExpression') &&
          this.#isAnswered(outer)
      case 'Property':
        return outer.value === value && this.#isAnswered(outer)
      case 'ReturnStatement':
      case 'ArrowFunctionExpression':
        return this.#isResultAnswered(outer)
      case 'CallExpression':
        return outer.callee !== value && ANSWERING.has(nameOf(outer.callee)) && this.#isOfReply(outer.callee)
      default:
        return false
    }
  }

  /** Tells whether the result of a function only becomes a part of the answer, as the handler or in `map`. */
  #isResultAnswered (node: AnyNode): boolean {
    if (!isFunction(node)) return this.#isResultAnswered(this.#outer(node))
    const outer = this.#outer(node)
    return node === this.#root ||
      (outer.type === 'CallExpression' && nameOf(outer.callee) === 'map' && this.#isAnswered(outer))
  }

  /** Tells whether a method belongs to a chain of calls that begins with the reply. */
  #isOfReply (method: AnyNode): boolean {
    const { object } = method as MemberExpression
    if (object.type === 'CallExpression') return this.#isOfReply(object.callee)
    return object.type === 'Identifier' && object.name === this.#params[1]
  }

  /** Tells whether a member of the reply is no method, makes a link, or returns the reply, which nothing keeps. */
  #isOnlyCalled (member: AnyNode): boolean {
    const call = this.#outer(member)
    const name = nameOf(member)
    if (SHOWING.has(name)) return false
    if (call.type !== 'CallExpression' || call.callee !== member || name === 'reverse') return true
    let outer = this.#outer(call)
    if (outer.type === 'MemberExpression') return this.#isOnlyCalled(outer)
    while (/^(?:Await|Conditional|Logical)/.test(outer.type)) outer = this.#outer(outer)
    return outer.type.endsWith('Statement') || isFunction(outer)
  }
}

/** Returns the source of a function or a method, or null if it has none, as a bound function. */
export function sourceOf (hook: unknown): Source | null {
  for (const text of [`(${hook})`, `({${hook}})`]) {
    try {
      return new Source(parse(text, OPTIONS))
    } catch {}
  }
  return null
}

function isFunction (node: AnyNode): node is AnyNode & FunctionNode {
  return 'params' in node
}

/** Tells whether a node is a member that the source reads by its name. */
function isMember (node: AnyNode): boolean {
  return node.type === 'MemberExpression' && nameOf(node) !== undefined
}

/** Returns the name of a member or a property if the source has it, or undefined. */
function nameOf (node: AnyNode): string | undefined {
  if (node.type !== 'MemberExpression' && node.type !== 'Property') return undefined
  const name = node.type === 'Property' ? node.key : node.property
  if (name.type === 'Literal') return String(name.value)
  return name.type === 'Identifier' && !node.computed ? name.name : undefined
}
