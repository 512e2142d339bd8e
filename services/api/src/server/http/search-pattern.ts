import { Limits } from '@capstan/contract/limits'

/** Returns a pattern for SQL `like` that matches `text` anywhere. `%` and `_` are taken literally. */
export function toSqlContainsPattern(text: string): string {
  return `%${text.replaceAll(/[\\%_]/g, '\\$&')}%`
}

/**
 * Splits a search text into words, up to a maximum number. The text after the last allowed word counts as one phrase, so the
 * number of conditions is bounded.
 */
export function splitSearchWords(hint: string): string[] {
  const words = hint.split(/\s+/).filter((word) => word !== '')
  const last = Limits.maxSearchWords - 1
  return words.length > Limits.maxSearchWords ? [...words.slice(0, last), words.slice(last).join(' ')] : words
}
