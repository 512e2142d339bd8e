type PublicRecord = Readonly<{ sequence: number; time: number; kind: string; key: string; value: unknown }>

/**
 * Verifies the hash chain and the signatures of a downloaded scoreboard.
 * @param givenKey public key that the file must contain. Default: any key
 */
export function verifyChain(
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

/** Computes a scoreboard from the records of a chain. @returns its rows in the order of the scoreboard */
export function boardOfRecords(records: readonly PublicRecord[]): BoardRow[]
