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

/** Part of a file name, UTC: `yyyyMMdd-HH.mm.ssZ`, as in the names of archives and writeups. */
export function archiveStamp(time: Date): string {
  const { date, hours, minutes, seconds } = partsOf(time)
  return `${date}-${hours}.${minutes}.${seconds}Z`
}

/** Part of a file name, UTC: `yyyyMMddHHmmss`. */
export function sheetStamp(time: Date): string {
  const { date, hours, minutes, seconds } = partsOf(time)
  return `${date}${hours}${minutes}${seconds}`
}
