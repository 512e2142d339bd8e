import { toText } from '../record.ts'

/** Numbers of bytes in the format of Compose, whose units are powers of 1024. */

const powers: Readonly<Record<string, number>> = { '': 0, b: 0, k: 1, m: 2, g: 3, t: 4 }

/** Parses a number of bytes such as `512M`, `1.5gb`, `64mib` or `1048576`. @returns undefined if the text is invalid */
export function parseComposeBytes(value: unknown): number | undefined {
  const [, number, unit = ''] = /^(\d{1,15}(?:\.\d{1,9})?) ?([bkmgt]?)i?b?$/i.exec(toText(value ?? '').trim()) ?? []
  const power = powers[unit.toLowerCase()]
  return number === undefined || power === undefined ? undefined : Number(number) * 1024 ** power
}
