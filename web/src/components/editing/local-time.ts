import dayjs from 'dayjs'
import { formatDuration, formatWeekdayTime } from '../../lib/format.ts'

/** An instant as a `datetime-local` input writes it, in the visitor's zone; empty for no instant. */
export function toLocalInput(iso: string): string {
  const at = dayjs(iso)
  return iso !== '' && at.isValid() ? at.format('YYYY-MM-DDTHH:mm') : ''
}

/**
 * What a `datetime-local` input holds, as an instant in UTC; empty while it is not complete. Not read by dayjs, which takes the year 2
 * for 1902: whoever types 2026 passes the years 2, 20 and 202, and the input must get back what it holds.
 */
export function fromLocalInput(text: string): string {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString()
}

/** The visitor's zone with its offset at an instant: `Europe/Berlin (UTC+1)`. */
export function zoneAt(iso: string): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const at = dayjs(iso)
  const minutes = (at.isValid() ? at : dayjs()).utcOffset()
  const hours = Math.floor(Math.abs(minutes) / 60)
  const rest = Math.abs(minutes) % 60
  const offset = `UTC${minutes < 0 ? '−' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`
  return timeZone === 'UTC' ? 'UTC' : `${timeZone} (${offset})`
}

/** A usual time, under the name that people give it. */
export type TimePreset = Readonly<{
  label: string
  /** An instant. */
  at: string
}>

const hourMs = 3_600_000
/** Games start in the morning, most of them on a Saturday. */
const morning = 9
const saturday = 6

/** Usual starts as seen from `now`: the next morning, and that of the next Saturday. */
export function startPresets(now: Date): readonly TimePreset[] {
  const morningIn = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, morning)
  const untilSaturday = (saturday - now.getDay() + 7) % 7 || 7
  return [1, untilSaturday]
    .filter((days, index, all) => all.indexOf(days) === index)
    .map((days) => ({ label: formatWeekdayTime(morningIn(days)), at: morningIn(days).toISOString() }))
}

/** Usual lengths of a game, counted from its start; none while there is no start. */
export function endPresets(start: string): readonly TimePreset[] {
  const from = Date.parse(start)
  if (Number.isNaN(from)) return []
  return [8, 24, 48].map((hours) => ({
    label: `+ ${formatDuration(hours * hourMs)}`,
    at: new Date(from + hours * hourMs).toISOString(),
  }))
}
