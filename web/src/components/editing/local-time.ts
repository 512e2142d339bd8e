import dayjs from 'dayjs'
import { formatDuration, formatWeekdayTime } from '../../lib/format.ts'

/** Formats a date for a `datetime-local` input in the visitor's time zone. Returns an empty text if there is no date. */
export function toLocalInputValue(iso: string): string {
  const at = dayjs(iso)
  return iso !== '' && at.isValid() ? at.format('YYYY-MM-DDTHH:mm') : ''
}

/**
 * Converts the value of a `datetime-local` input to UTC. Returns an empty text if the value is incomplete. While a user types the
 * year 2026, the input contains the years 2, 20 and 202. The conversion must not change these years, but dayjs would read the year
 * 2 as 1902.
 */
export function utcFromLocalInput(text: string): string {
  const at = new Date(text)
  return Number.isNaN(at.getTime()) ? '' : at.toISOString()
}

/** Returns the visitor's time zone with its offset on this date: `Europe/Berlin (UTC+1)`. */
export function timeZoneAt(iso: string): string {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions()
  const at = dayjs(iso)
  const minutes = (at.isValid() ? at : dayjs()).utcOffset()
  const hours = Math.floor(Math.abs(minutes) / 60)
  const rest = Math.abs(minutes) % 60
  const offset = `UTC${minutes < 0 ? '−' : '+'}${hours}${rest === 0 ? '' : `:${String(rest).padStart(2, '0')}`}`
  return timeZone === 'UTC' ? 'UTC' : `${timeZone} (${offset})`
}

export type TimePreset = Readonly<{
  label: string
  /** Date and time in ISO format. */
  at: string
}>

const hourMs = 3_600_000
/** Hour at which most games start. */
const morning = 9
const saturday = 6

/** Returns common start times after `now`: tomorrow morning, and the morning of the next Saturday. */
export function listStartPresets(now: Date): readonly TimePreset[] {
  const morningIn = (days: number) => new Date(now.getFullYear(), now.getMonth(), now.getDate() + days, morning)
  const untilSaturday = (saturday - now.getDay() + 7) % 7 || 7
  return [1, untilSaturday]
    .filter((days, index, all) => all.indexOf(days) === index)
    .map((days) => ({ label: formatWeekdayTime(morningIn(days)), at: morningIn(days).toISOString() }))
}

/** Returns common end times of a game, relative to its start. Returns none if the start is unknown. */
export function listEndPresets(start: string): readonly TimePreset[] {
  const from = Date.parse(start)
  if (Number.isNaN(from)) return []
  return [8, 24, 48].map((hours) => ({
    label: `+ ${formatDuration(hours * hourMs)}`,
    at: new Date(from + hours * hourMs).toISOString(),
  }))
}
