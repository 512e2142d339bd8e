import type { FlagSubmission } from './flag-results.ts'

// Each submission has a separate key in local storage. Otherwise concurrent tabs could overwrite each other's submissions.
function prefixOf(userId: string): string {
  return `pending-flag:${userId}:`
}

function keyOf({ userId, key }: FlagSubmission): string {
  return `${prefixOf(userId)}${key}`
}

/** Stores a submission until the server has judged it. It survives the end of the tab and of the browser. */
export function storePendingFlag(submission: FlagSubmission): void {
  try {
    localStorage.setItem(keyOf(submission), JSON.stringify(submission))
  } catch {
    // If the storage is full or forbidden, the page sends the flag only while it is open.
  }
}

export function dropPendingFlag(submission: FlagSubmission): void {
  localStorage.removeItem(keyOf(submission))
}

export function isFlagPending(submission: FlagSubmission): boolean {
  return localStorage.getItem(keyOf(submission)) !== null
}

function keysOf(userId: string): string[] {
  return Object.keys(localStorage).filter((key) => key.startsWith(prefixOf(userId)))
}

function parse(text: string | null): FlagSubmission[] {
  try {
    return text === null ? [] : [JSON.parse(text) as FlagSubmission]
  } catch {
    return []
  }
}

/** Returns the stored submissions of a user. Submissions of other users of this browser are not included. */
export function listPendingFlags(userId: string): FlagSubmission[] {
  return keysOf(userId).flatMap((key) => parse(localStorage.getItem(key)))
}

/** Drops all stored submissions of a user, for example because the user logs out. */
export function dropPendingFlags(userId: string): void {
  for (const key of keysOf(userId)) localStorage.removeItem(key)
}
