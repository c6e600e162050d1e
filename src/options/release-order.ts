/** The versions of several lists, each once, in an order that keeps the order of every list. */
export function mergeOrders<Version> (lists: Iterable<readonly Version[]>): Version[] {
  const order: Version[] = []
  for (const list of lists) {
    let at = order.length
    for (const version of list.toReversed()) {
      const known = order.indexOf(version)
      if (known === -1) order.splice(at, 0, version)
      else at = known
    }
  }
  return order
}
