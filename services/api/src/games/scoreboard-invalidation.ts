/** Tells the scoreboard that what it was built from has changed. Returns at once; the rebuild happens in the background. */
export interface ScoreboardInvalidation {
  markStale(gameId: number): void
}
