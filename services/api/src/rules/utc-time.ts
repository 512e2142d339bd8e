/** Formats a time for people as `yyyy-MM-dd HH:mm:ssZ` in UTC. */
export function formatUtcTime(time: Date): string {
  return `${time.toISOString().slice(0, 19).replace('T', ' ')}Z`
}
