/** Tells the scoreboard that what it was built from has changed. Returns at once; the rebuild happens in the background. */
export interface ScoreboardInvalidation {
  /** @param change.isMinor what players say of themselves: comes a little later where they say it again and again */
  markStale(gameId: number, change?: { readonly isMinor?: boolean }): void
  /** Games on whose boards the names of these users stand: to be asked before a user is deleted. */
  listGamesOf(...userIds: string[]): Promise<number[]>
}
