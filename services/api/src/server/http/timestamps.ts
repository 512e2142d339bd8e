function digits(value: number): string {
  return String(value).padStart(2, '0')
}

function partsOf(time: Date) {
  return {
    date: `${String(time.getUTCFullYear()).padStart(4, '0')}${digits(time.getUTCMonth() + 1)}${digits(time.getUTCDate())}`,
    hours: digits(time.getUTCHours()),
    minutes: digits(time.getUTCMinutes()),
    seconds: digits(time.getUTCSeconds()),
  }
}

/** Formats a UTC time for file names of archives and writeups: `yyyyMMdd-HH.mm.ssZ`. */
export function formatArchiveTimestamp(time: Date): string {
  const { date, hours, minutes, seconds } = partsOf(time)
  return `${date}-${hours}.${minutes}.${seconds}Z`
}

/** Formats a UTC time for file names of spreadsheets: `yyyyMMddHHmmss`. */
export function formatSheetTimestamp(time: Date): string {
  const { date, hours, minutes, seconds } = partsOf(time)
  return `${date}${hours}${minutes}${seconds}`
}
