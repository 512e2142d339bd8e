import dayjs from 'dayjs'
import duration from 'dayjs/plugin/duration'
import localizedFormat from 'dayjs/plugin/localizedFormat'
import relativeTime from 'dayjs/plugin/relativeTime'
import { serverNow } from './clock.ts'

dayjs.extend(relativeTime)
dayjs.extend(localizedFormat)
dayjs.extend(duration)

export type Instant = string | number | Date

function language() {
  return document.documentElement.lang || 'en-US'
}

/** Caches formatters by language and options, because creating a formatter takes several hundred times as long as using it. */
function keeping<Options, Formatter>(make: (language: string, options?: Options) => Formatter) {
  const made = new Map<string, Formatter>()
  return (options?: Options): Formatter => {
    const key = `${language()} ${options ? JSON.stringify(options) : ''}`
    const formatter = made.get(key) ?? make(language(), options)
    made.set(key, formatter)
    return formatter
  }
}

const dateFormat = keeping((code, options?: Intl.DateTimeFormatOptions) => new Intl.DateTimeFormat(code, options))
const numberFormat = keeping((code, options?: Intl.NumberFormatOptions) => new Intl.NumberFormat(code, options))

/** Formats a time as `Nov 21, 2026 4:07 AM`, in the visitor's time zone and language. */
export function formatDateTime(at: Instant): string {
  return dayjs(at).format('lll')
}

/** Formats a time with weekday, seconds and time zone, for tooltips. */
export function formatExactTime(at: Instant): string {
  return dateFormat({ dateStyle: 'full', timeStyle: 'long' }).format(new Date(at))
}

export function formatDate(at: Instant): string {
  return dayjs(at).format('ll')
}

/** Formats a period as `Nov 21, 2026, 4:00 – 11:00 PM`. Parts that both times share appear only once. */
export function formatTimeRange(from: Instant, until: Instant): string {
  return dateFormat({ dateStyle: 'medium', timeStyle: 'short' }).formatRange(new Date(from), new Date(until))
}

/** Formats a period as `Nov 21 – 23, 2026`, or as one date if both times are on the same day. */
export function formatDayRange(from: Instant, until: Instant): string {
  return dateFormat({ dateStyle: 'medium' }).formatRange(new Date(from), new Date(until))
}

/** Formats a time as `Nov 21`, for axes. */
export function formatDay(at: Instant): string {
  return dateFormat({ month: 'short', day: 'numeric' }).format(new Date(at))
}

/** Formats a time as `Nov 21, 04:07`, for axes. */
export function formatDayTime(at: Instant): string {
  return dateFormat({ month: 'short', day: 'numeric', hour: '2-digit', minute: '2-digit', hourCycle: 'h23' }).format(new Date(at))
}

/** Formats a time as `Sat 4:07 AM`, for suggested times. */
export function formatWeekdayTime(at: Instant): string {
  return dateFormat({ weekday: 'short', hour: 'numeric', minute: '2-digit' }).format(new Date(at))
}

/** Formats a time as `04:07`, for axes. */
export function formatTime(at: Instant): string {
  return dayjs(at).format('HH:mm')
}

/** Formats a time as `04:07:31`, for dense tables. */
export function formatClock(at: Instant): string {
  return dayjs(at).format('HH:mm:ss')
}

const momentOptions = {
  month: 'short',
  day: 'numeric',
  hour: '2-digit',
  minute: '2-digit',
  second: '2-digit',
  hourCycle: 'h23',
} as const

/** Formats a time for lists: as `Nov 21, 04:07:31`, or as `04:07:31` if the day is clear from the context. */
export function formatListTime(at: Instant, hasDay: boolean): string {
  return hasDay ? dateFormat(momentOptions).format(new Date(at)) : formatClock(at)
}

/** Formats a time as `3 minutes ago` or `in 2 hours`. */
export function formatRelative(at: Instant, now: Instant = serverNow()): string {
  return dayjs(at).from(now)
}

/** Formats a remaining or elapsed time as a clock: `2d 03:14:05`, `03:14:05`, `14:05`. Never negative. */
export function formatCountdown(ms: number): string {
  const total = Math.max(0, Math.ceil(ms / 1000))
  const days = Math.floor(total / 86_400)
  const two = (value: number) => String(value).padStart(2, '0')
  const hours = Math.floor(total / 3600) % 24
  const clock = `${two(Math.floor(total / 60) % 60)}:${two(total % 60)}`
  // Do not use the narrow unit for days in Japanese, because it is the Latin letter d.
  const unitDisplay = language().startsWith('ja') ? 'short' : 'narrow'
  if (days > 0) return `${formatNumber(days, { style: 'unit', unit: 'day', unitDisplay })} ${two(hours)}:${clock}`
  return hours > 0 ? `${two(hours)}:${clock}` : clock
}

/** Formats a duration as one rounded unit: `2 days`, `3 hours`. */
export function formatDuration(ms: number): string {
  return dayjs.duration(ms).humanize()
}

/** Formats a duration to the second: `3 min 5 sec`. A duration of an hour or more is one rounded unit. */
export function formatExactDuration(ms: number): string {
  if (ms >= 3_600_000) return formatDuration(ms)
  const seconds = Math.floor(ms / 1000)
  const parts = [
    { value: Math.floor(seconds / 60), unit: 'minute' },
    { value: seconds % 60, unit: 'second' },
  ] as const
  return parts
    .filter(({ value, unit }) => value > 0 || (unit === 'second' && seconds === 0))
    .map(({ value, unit }) => formatNumber(value, { style: 'unit', unit, unitDisplay: 'short' }))
    .join(' ')
}

export function formatNumber(value: number, options?: Intl.NumberFormatOptions): string {
  return numberFormat(options).format(value)
}

/** Formats a share such as `0.42` as `42 %`. */
export function formatPercent(share: number, digits = 0): string {
  return formatNumber(share, { style: 'percent', maximumFractionDigits: digits })
}

/** Formats a size as `1.4 MB`, in decimal units. */
export function formatBytes(bytes: number): string {
  const units = ['byte', 'kilobyte', 'megabyte', 'gigabyte'] as const
  const power = bytes < 1 ? 0 : Math.min(units.length - 1, Math.floor(Math.log10(bytes) / 3))
  const unit = units[power] ?? 'byte'
  return formatNumber(bytes / 1000 ** power, {
    style: 'unit',
    unit,
    unitDisplay: power === 0 ? 'long' : 'short',
    maximumFractionDigits: power === 0 ? 0 : 1,
  })
}
