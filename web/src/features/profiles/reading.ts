import { ApiError } from '../../lib/http.ts'

export const gamesShown = 20

/**
 * Options for reading a profile. Refreshes are rare, because profiles change rarely. The previous page of games remains visible
 * while the next one loads.
 */
export const profileRules = { refreshInterval: 60_000, keepPreviousData: true } as const

/** True if the page does not exist or is hidden from this visitor. The server does not distinguish the two. */
export function isPageMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.httpStatus === 404 || error.httpStatus === 400)
}
