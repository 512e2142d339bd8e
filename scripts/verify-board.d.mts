type PublicRecord = Readonly<{ sequence: number; time: number; kind: string; key: string; value: unknown }>

/**
 * Verifies the hashes and the signatures of a downloaded chain.
 * @param givenKey public key that the file must have. Default: any key
 */
export function check(
  text: string,
  givenKey?: string,
): { readonly records: readonly PublicRecord[]; readonly seal: { readonly seal: number; readonly time: number } }

type BoardRow = Readonly<{
  team: number
  /** Rank, or 0 if the team is not ranked. */
  rank: number
  score: number
  /** Map from the id of each solved challenge to its points. */
  solves: Readonly<Record<string, number>>
}>

/** Computes a board from the records of a chain, in the order of the board. */
export function boardOf(records: readonly PublicRecord[]): BoardRow[]
