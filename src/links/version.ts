import { toText } from '../paths/template.ts'
import { invalid } from '../scheme.ts'

import type { LinkTarget } from './target.ts'
import type { Scheme } from '../scheme.ts'
import type { ReverseKwargs, ReverseOptions } from '../../types/index.d.ts'

/**
 * The version to link into, or null.
 *
 * @param scheme null if the link has a version in no place, so that it is in the default version of the list
 * @throws FST_ERR_VERSION_INVALID (500): a subclass may have made `linkVersion` asynchronous
 */
export function versionOf (scheme: Scheme | null, list: Scheme | null, options: ReverseOptions): string | null {
  if (scheme === null) return list === null ? null : list.defaultOfLinks(options.request)
  const version: unknown = scheme.linkVersion(options)
  if (version === null || typeof version === 'string') return version
  throw invalid(scheme, version)
}

/** The version that the caller writes into the name or the path, which is the version of the link, or null. */
export function writtenVersion (scheme: Scheme | null, { route }: LinkTarget, kwargs: ReverseKwargs): string | null {
  if (scheme === null) return null
  return scheme.versionIn(route.namespace.names) ?? versionInParams(scheme, kwargs)
}

/** The version that the caller gives as a parameter of the path, or null. */
export function versionInParams ({ inPath }: Scheme, kwargs: ReverseKwargs): string | null {
  for (let i = 0; i < inPath.length; i++) {
    const text = toText(kwargs[inPath[i].impliedParam as string])
    if (text !== '') return text
  }
  return null
}
