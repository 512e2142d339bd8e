import dayjs from 'dayjs'

/** An instant as a `datetime-local` input writes it, in the visitor's zone; empty for no instant. */
export const toLocalInput = (iso: string): string => {
  const at = dayjs(iso)
  return iso !== '' && at.isValid() ? at.format('YYYY-MM-DDTHH:mm') : ''
}

/** What a `datetime-local` input holds, as an instant in UTC; empty while it is not complete. */
export const fromLocalInput = (text: string): string => {
  const at = dayjs(text)
  return text !== '' && at.isValid() ? at.toISOString() : ''
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
