import ts from 'typescript'

/** A member of an interface, as it is declared; `comment` is its JSDoc. */
export interface Declared { name: string, type: string, comment: string }

/**
 * The members of an interface by name, without members of type never and index signatures.
 *
 * @param source a declaration file; of interfaces that have the same name, all members
 * @param inherited whether the members of interfaces that it extends in the same file are there, too
 */
export function membersOf (source: string, name: string, inherited = false): Declared[] {
  const file = ts.createSourceFile('types.d.ts', source, ts.ScriptTarget.ESNext, true)
  const found: ts.InterfaceDeclaration[] = []
  visit(file)
  if (found.length === 0) throw new Error(`No interface is ${name}`)
  return found.flatMap((one) => [...(inherited ? parentsOf(one) : []), ...one.members.flatMap(declaredOf)])

  function visit (node: ts.Node): void {
    if (ts.isInterfaceDeclaration(node) && node.name.text === name) found.push(node)
    ts.forEachChild(node, visit)
  }

  function parentsOf (one: ts.InterfaceDeclaration): Declared[] {
    const parents = one.heritageClauses?.flatMap(({ types }) => types) ?? []
    return parents.flatMap(({ expression }) => membersOf(source, expression.getText(), true))
  }
}

function declaredOf (member: ts.TypeElement): Declared[] {
  if (!ts.isPropertySignature(member) || member.type === undefined) return []
  if (member.type.kind === ts.SyntaxKind.NeverKeyword) return []
  const comment = ts.getJSDocCommentsAndTags(member).map((doc) => doc.getText()).join('\n')
  return [{ name: member.name.getText(), type: shortened(member.type.getText()), comment }]
}

/** A type as a page shows it: undefined, which every option may be, and what only TypeScript needs, are left out. */
function shortened (type: string): string {
  return type
    .replace(/\s+/g, ' ')
    .replaceAll(' | undefined', '')
    .replaceAll(' & object', '')
    .replaceAll('readonly ', '')
    .replace(/^\((.*)\)$/, '$1')
}
