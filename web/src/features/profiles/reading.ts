import { ApiError } from '../../lib/http.ts'

/** Games that are shown at once. */
export const gamesShown = 20

/** A page is read again as seldom as what it tells changes; while the next games are read, those before them stay. */
export const profileRules = { refreshInterval: 60_000, keepPreviousData: true } as const

/** There is none at this address, or it is not for this visitor: nobody can tell which. */
export function isMissing(error: unknown): boolean {
  return error instanceof ApiError && (error.httpStatus === 404 || error.httpStatus === 400)
}
