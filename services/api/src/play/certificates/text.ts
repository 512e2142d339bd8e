import { type CertificatePlaceholder, placeholderPattern } from '@capstan/contract/certificates'
import type { LanguageCode } from '@capstan/contract/languages'
import { Limits } from '@capstan/contract/limits'

/** Data that the placeholders of a certificate can show. */
export type CertificateFacts = Readonly<{
  team: string
  /** Names of the members of the team. */
  users: readonly string[]
  /** Rank on the scoreboard. Undefined if the team has no rank. */
  rank: number | undefined
  points: number
  game: string
  /** Time at which the game ends. */
  date: Date
  division: string | null
}>

export type CertificateValues = Readonly<Record<CertificatePlaceholder, string>>

/** Characters that change the direction of the text around a name, and line breaks. */
const disruptive = /[\p{Cc}\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/gu

/** Isolates a name, so that its direction does not affect the text around it (Unicode standard annex 9). */
function isolate(name: string): string {
  const text = name.replaceAll(disruptive, '')
  return text === '' ? '' : `\u2068${text}\u2069`
}

function listOf(users: readonly string[], language: LanguageCode): string {
  const shown = users.slice(0, Limits.maxCertificateMembers).map(isolate)
  return new Intl.ListFormat(language).format(users.length > shown.length ? [...shown, '…'] : shown)
}

/** Returns the text of each placeholder. The text is empty if the placeholder has no value. */
export function formatPlaceholderValues(facts: CertificateFacts, language: LanguageCode): CertificateValues {
  const number = new Intl.NumberFormat(language)
  return {
    team: isolate(facts.team),
    user: listOf(facts.users, language),
    rank: facts.rank === undefined ? '' : number.format(facts.rank),
    points: number.format(facts.points),
    game: isolate(facts.game),
    date: new Intl.DateTimeFormat(language, { dateStyle: 'long', timeZone: 'UTC' }).format(facts.date),
    division: isolate(facts.division ?? ''),
  }
}

/** Replaces placeholders. A line is left out if one of its placeholders has no value. */
export function fillPlaceholders(text: string, values: CertificateValues): string {
  const lines = text.split(/\r\n|\r|\n/).flatMap((line) => {
    let isComplete = true
    const filled = line.replaceAll(placeholderPattern, (whole, name: string) => {
      const value = Object.hasOwn(values, name) ? values[name as CertificatePlaceholder] : whole
      isComplete &&= value !== ''
      return value
    })
    return isComplete ? [filled] : []
  })
  return lines.join('\n')
}
