import { Limits } from '@capstan/contract/limits'
import { isWebAddress } from './attachment-name.ts'

type LineFault = 'long' | 'twice' | 'known' | 'noUrl' | 'badUrl' | 'empty'

export type FlagLine = Readonly<{
  number: number
  flag: string
  url?: string
  fault?: LineFault
}>

function linesOf(text: string) {
  return text.split(/\r?\n/).flatMap((line, index) => (line.trim() === '' ? [] : [{ number: index + 1, text: line.trim() }]))
}

function faultOfFlag(flag: string, before: ReadonlySet<string>, known: ReadonlySet<string>): LineFault | undefined {
  if ([...flag].length > Limits.maxFlagLength) return 'long'
  if (known.has(flag)) return 'known'
  return before.has(flag) ? 'twice' : undefined
}

/**
 * Parses flags, one per line.
 * @param known stored flags of the challenge
 */
export function parseFlagLines(text: string, known: ReadonlySet<string>): readonly FlagLine[] {
  const before = new Set<string>()
  return linesOf(text).map(({ number, text: flag }) => {
    const fault = faultOfFlag(flag, before, known)
    before.add(flag)
    return { number, flag, ...(fault && { fault }) }
  })
}

/** Parses lines that each contain a flag and a URL. The last word is the URL, because flags may contain spaces. */
export function parseFlagAndUrlLines(text: string, known: ReadonlySet<string>): readonly FlagLine[] {
  const before = new Set<string>()
  return linesOf(text).map(({ number, text: line }) => {
    const parts = /^(.*\S)\s+(\S+)$/.exec(line)
    const flag = parts?.[1] ?? line
    const url = parts?.[2]
    const addressFault = url === undefined ? 'noUrl' : isWebAddress(url) ? undefined : 'badUrl'
    const fault = addressFault ?? faultOfFlag(flag, before, known)
    before.add(flag)
    return { number, flag, ...(url !== undefined && { url }), ...(fault && { fault }) }
  })
}

/** Returns one flag for each file. The name of the file is the flag. */
export function listFlagsOfFiles(files: readonly Pick<File, 'name' | 'size'>[], known: ReadonlySet<string>): readonly FlagLine[] {
  const before = new Set<string>()
  return files.map(({ name, size }, index) => {
    const fault = faultOfFlag(name, before, known) ?? (size === 0 ? 'empty' : undefined)
    before.add(name)
    return { number: index + 1, flag: name, ...(fault && { fault }) }
  })
}

/** True if a file extension follows the flag, as in `flag{fog}.zip`. The flag would then include the extension. */
export function hasFileExtension(name: string): boolean {
  return /\}\.\w+$/.test(name)
}

/** Compares the number of files with the number of teams. Two files per team are recommended. */
export function rateFlagFileSupply(
  files: number,
  teams: number,
  isUpcoming: boolean,
): 'none' | 'short' | 'thin' | 'upcoming' | 'enough' {
  if (files === 0) return 'none'
  if (files <= teams) return 'short'
  // More teams may join before the start, so the comparison is not final.
  if (isUpcoming) return 'upcoming'
  return files < teams * 2 ? 'thin' : 'enough'
}

/** True if there are more files than teams. */
export function hasEnoughFiles(supply: ReturnType<typeof rateFlagFileSupply>): boolean {
  return supply !== 'none' && supply !== 'short'
}
