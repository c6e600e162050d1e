interface Response { readonly headers: { readonly vary?: string | string[] | undefined } }

/** The request headers that a response names in Vary: in lower case, sorted, and as often as it names them. */
export function varyOf ({ headers: { vary = [] } }: Response): string[] {
  return [vary].flat().join().split(',').map((name) => name.trim().toLowerCase()).filter((name) => name !== '').sort()
}
