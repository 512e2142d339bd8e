import { closeSync, openSync, readSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { readDescribedChallenge } from '@capstan/challenge-files/challenge/read'
import type { GivenFile } from '@capstan/challenge-files/challenge/read-files'
import { unzipSync } from 'fflate'
import type { Folder } from '../folder-tree.ts'
import type { LoadedChallenge } from '../game-folder.ts'
import type { LintFinding } from './lint-finding.ts'

/** Minimum length of a flag to search for. Shorter texts occur in files by chance. */
const minFlagLength = 6

/** Maximum size of a searched archive, and of a searched file in an archive. Larger archives and files are not unpacked. */
const maxUnpackedBytes = 64 * 1024 * 1024

const chunkBytes = 1024 * 1024

type Wanted = Readonly<{
  flag: string
  isCaseless: boolean
}>

/** Returns the line of the first flag in a part of a file. @returns undefined if the part contains no flag */
function lineOfFlag(content: Buffer, wanted: readonly Wanted[]): number | undefined {
  const places = wanted.map(({ flag, isCaseless }) =>
    // Latin-1 has one character for each byte, so that binary files can be searched.
    isCaseless
      ? content.toString('latin1').toLowerCase().indexOf(Buffer.from(flag).toString('latin1').toLowerCase())
      : content.indexOf(flag),
  )
  const found = places.filter((place) => place !== -1)
  return found.length === 0 ? undefined : linesIn(content.subarray(0, Math.min(...found))) + 1
}

function linesIn(content: Buffer): number {
  let count = 0
  for (let at = content.indexOf(10); at !== -1; at = content.indexOf(10, at + 1)) count += 1
  return count
}

/** Searches a file of any size in parts that overlap by the length of the longest flag. @returns the line of the first flag */
function searchFile(path: string, wanted: readonly Wanted[]): number | undefined {
  const overlap = Math.max(...wanted.map(({ flag }) => Buffer.byteLength(flag))) - 1
  const file = openSync(path, 'r')
  try {
    const buffer = Buffer.alloc(chunkBytes + overlap)
    let known = 0
    let lines = 0
    for (;;) {
      const read = readSync(file, buffer, known, chunkBytes, null)
      if (read === 0) return undefined
      const part = buffer.subarray(0, known + read)
      const line = lineOfFlag(part, wanted)
      if (line !== undefined) return lines + line
      const rest = part.subarray(Math.max(0, part.length - overlap))
      lines += linesIn(part.subarray(0, part.length - rest.length))
      known = rest.copy(buffer)
    }
  } finally {
    closeSync(file)
  }
}

/**
 * Returns the names of the files in an archive that contain a flag, each with the line.
 * @returns an empty list if the file is not an archive, or cannot be searched
 */
function searchArchive(tree: Folder, path: string, wanted: readonly Wanted[]): { name: string; line: number }[] {
  if (!/\.zip$/i.test(path) || statSync(join(tree.root, path)).size > maxUnpackedBytes) return []
  const found: { name: string; line: number }[] = []
  try {
    const files = unzipSync(tree.readBytes(path, maxUnpackedBytes), {
      filter: ({ originalSize }) => originalSize <= maxUnpackedBytes,
    })
    for (const [name, content] of Object.entries(files)) {
      const line = lineOfFlag(Buffer.from(content), wanted)
      if (line !== undefined) found.push({ name, line })
    }
  } catch {
    // The archive is damaged or encrypted, so its files cannot be searched.
  }
  return found
}

function pathsOf(file: GivenFile | null): string[] {
  return file === null || 'url' in file ? [] : file.parts.flatMap((part) => ('path' in part ? [part.path] : []))
}

/**
 * Returns the files for players that contain a flag of the challenge. A file that belongs to one flag may contain that flag.
 * @param environment environment variables, to which flags may refer
 */
export function findFlagFaults(
  tree: Folder,
  { challenge, file }: LoadedChallenge,
  environment: Readonly<Record<string, string | undefined>>,
): LintFinding[] {
  const { challenge: described, images } = readDescribedChallenge(tree, file, challenge, {
    environment,
    builtImage: () => 'built',
  })
  const wanted = described.flags
    .filter(({ flag, kind }) => kind !== 'Pattern' && flag.length >= minFlagLength)
    .map(({ flag, kind }) => ({ flag, isCaseless: kind === 'Caseless' }))
  if (wanted.length === 0) return []
  const advice = 'Remove the flag from the file. If the file was published, also change the flag.'
  const paths = new Set([...pathsOf(described.attachment), ...images.map(({ path }) => path)])
  return [...paths].flatMap((path): LintFinding[] => {
    const line = searchFile(join(tree.root, path), wanted)
    if (line !== undefined) return [{ file: path, line, why: 'Players get this file, which contains a flag.', advice }]
    return searchArchive(tree, path, wanted).map(({ name, line }) => ({
      file: path,
      line: 1,
      why: `Players get this archive, in which the file \`${name}\` contains a flag in line ${line}.`,
      advice,
    }))
  })
}
