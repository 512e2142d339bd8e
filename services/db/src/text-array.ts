import { customType } from 'drizzle-orm/pg-core'
import { makePgArray } from 'drizzle-orm/pg-core/utils'

/**
 * Parses an array of texts in PostgreSQL's format, `{plain,"quoted \" and \\"}`. Replaces drizzle's parser, which drops every
 * backslash and so would break formulas in hints.
 */
export function parseTextArray(written: string): string[] {
  const texts: string[] = []
  let text = ''
  let isQuoted = false
  let hasText = false
  for (let at = 1; at < written.length; at++) {
    const character = written[at] ?? ''
    if (character === '\\') {
      at++
      text += written[at] ?? ''
    } else if (character === '"') isQuoted = !isQuoted
    else if (!isQuoted && (character === ',' || character === '}')) {
      if (hasText) texts.push(text)
      text = ''
      hasText = false
      continue
    } else text += character
    hasText = true
  }
  return texts
}

export const textArray = customType<{ data: string[]; driverData: string }>({
  dataType: () => 'text[]',
  toDriver: (texts) => makePgArray(texts),
  fromDriver: (written) => parseTextArray(written),
})
