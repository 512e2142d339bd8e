/** Tells the scoreboard that what it was built from has changed. Returns at once; the rebuild happens in the background. */
export interface ScoreboardInvalidation {
  markStale(gameId: number): void
  /** Games on whose boards the user's name stands: to be asked before the user is deleted. */
  listGamesOf(userId: string): Promise<number[]>
}
