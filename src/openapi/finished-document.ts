import { contextOf } from '../context.ts'
import { answersOf } from './answers.ts'
import { numbered } from './components.ts'
import { escapedText } from './markdown.ts'
import { operationsIn } from './document.ts'
import { MADE_OF, shownOperations } from './operations.ts'
import { addToHead, addToOperation, versionText } from './retirement.ts'
import { addParameter, addVersion, addressOf } from './version.ts'

import type { FastifyInstance } from 'fastify'
import type { Document, Item } from './document.ts'
import type { Operation } from './operations.ts'
import type { HeadNote } from './retirement.ts'

/**
 * Says in a document that @fastify/swagger has made which version it is, and what the plugin reads and answers.
 *
 * @param server the context of the documents
 */
export function finish (document: Document, version: string, server: FastifyInstance, head: HeadNote): void {
  const { info, paths } = document
  const addAnswers = answersOf(document, version)
  const ids = new Set<string>()
  const hasServers = document.servers !== undefined
  const address = hasServers ? null : addressOf(server, contextOf(server).scheme, version)
  for (const { holder, item: marked, method, path } of operationsIn(document)) {
    // V8 makes a slow dictionary of an object from which a property is deleted.
    const { [MADE_OF]: madeOf, ...item } = marked
    // An operation without this field is the user's, of `openapi.paths`.
    if (madeOf === undefined) continue
    const operation = (madeOf as () => Operation)()
    const { event, route } = operation
    if (event !== null) {
      delete paths[path]
      // A transform may return no response of an event. A webhook of the user stays as it is.
      const content = item.responses['200']?.content
      const requestBody = content && { requestBody: { required: true, content } }
      const post = { ...requestBody, responses: { 200: { description: 'The event has been received.' } } }
      document.webhooks = { [event]: { post }, ...document.webhooks }
      continue
    }
    const scheme = route.scheme
    const ownAddress = hasServers || scheme === null ? null : addressOf(route.server, scheme, version)
    holder[method] = item
    shownOperations.set(item, operation)
    addPlace(item, path, operation, ownAddress === address ? null : ownAddress)
    const id = item.operationId
    // A module that is registered twice, with a prefix and without, has each id twice.
    if (id !== undefined) ids.add(item.operationId = numbered(id, (name) => ids.has(name)))
    if (scheme !== null) addVersion(item, operation, scheme, version)
    addToOperation(item, operation, version, head)
    addAnswers(item, operation, scheme)
  }
  if (address !== null) document.servers = [{ url: address }]
  info.title = titleOf(info.title, version)
  addToHead(document, head, server)
  addChanges(document, version, server)
}

/**
 * Writes the parameters of the path, the id and the address of an operation.
 *
 * @param address the address of the operation, or null if it is that of the document
 */
function addPlace (item: Item, path: string, { route, suffix }: Operation, address: string | null): void {
  const { constraints: { host, version }, server } = route
  // The path of the route may have the version and an optional parameter, which are not in this path.
  const isInPath = (name: string) => path.includes(`{${name}}`)
  const parameters = item.parameters?.filter((parameter) => parameter.in !== 'path' || isInPath(parameter.name)) ?? []
  for (const part of path.split('{').slice(1)) {
    const [name] = part.split('}', 1)
    if (parameters.some((parameter) => parameter.in === 'path' && parameter.name === name)) continue
    parameters.push({ in: 'path', name, required: true, schema: { type: 'string' } })
  }
  if (parameters.length > 0) item.parameters = parameters
  else delete item.parameters
  // Each id must be unique in a document.
  if (item.operationId !== undefined) item.operationId += suffix
  const url = typeof host === 'string' ? `//${host}${contextOf(server).baseUrl?.path ?? ''}` : address
  if (url !== null) item.servers ??= [{ url }]
  // This constraint is Fastify's own, and has nothing to do with the versions of the plugin.
  if (typeof version === 'string') addParameter(item, { in: 'header', name: 'Accept-Version' }, version, true)
}

/** Lists in the head of a document what changed in its version. */
function addChanges ({ info }: Document, version: string, { changes }: FastifyInstance): void {
  const sentences = changes.filter((change) => change.version === version)
    .map(({ description }) => `- ${escapedText(description)}`)
  if (sentences.length === 0) return
  const list = `Changes in this version:\n\n${sentences.join('\n')}`
  info.description = [info.description, list].filter(Boolean).join('\n\n')
}

function titleOf (title: string, version: string): string {
  const name = versionText(version) === version ? version : `(${versionText(version)})`
  return ` ${title}`.endsWith(` ${name}`) ? title : `${title} ${name}`
}
