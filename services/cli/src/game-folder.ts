export { challengeTypeOf } from '@capstan/challenge-files/challenge/read'
export { mapContainers } from '@capstan/challenge-files/format/challenge'
export { capstanFileName } from '@capstan/challenge-files/format/find'

import type { ChallengeFile } from '@capstan/challenge-files/format/challenge'
import { findCapstanFiles } from '@capstan/challenge-files/format/find'
import type { GameFile } from '@capstan/challenge-files/format/game'
import type { Finding } from '@capstan/challenge-files/report'
import { folderOf } from '@capstan/challenge-files/tree'
import { type Folder, openFolder } from './folder-tree.ts'

export type LoadedChallenge = Readonly<{
  file: string
  /** Folder of the file relative to the root; `''` for the root itself. */
  folder: string
  challenge: ChallengeFile
}>

/** Files of a game: the file of the game, if there is one, and the files of its challenges. */
export type GameFolder = Readonly<{
  tree: Folder
  game: Readonly<{ file: string; folder: string; game: GameFile }> | undefined
  challenges: readonly LoadedChallenge[]
  /** Number of `capstan.yaml` files that were read. */
  fileCount: number
  /** True if only chosen challenges are in `challenges`. Other challenges and the settings of the game then do not change. */
  isPart: boolean
  /** Files of challenges that cannot be applied. `findings` has the reasons. */
  unreadable: readonly string[]
  /** Reasons why the file of the game or of a challenge cannot be applied. */
  findings: readonly Finding[]
}>

function refusal(file: string, field: string, why: string): Finding {
  return { file, line: 1, field, outcome: 'refused', why }
}

/** Reads every `capstan.yaml` below a folder. It ignores subfolders for images, and for files that players download. */
export function loadGameFolder(root: string): GameFolder {
  const tree = openFolder(root)
  const findings: Finding[] = []
  const challenges: LoadedChallenge[] = []
  const unreadable: string[] = []
  let game: GameFolder['game']
  const fileOfName = new Map<string, string>()
  const { files } = findCapstanFiles(tree)
  for (const read of files) {
    const { file } = read
    findings.push(...read.findings)
    if (read.kind === 'Game' && read.game) {
      if (game)
        findings.push(refusal(file, 'kind', `${game.file} already describes a game. Put each game into a separate folder.`))
      else game = { file, folder: folderOf(file), game: read.game }
    }
    if (read.kind !== 'Challenge') continue
    const { name } = read.challenge ?? {}
    const other = name === undefined ? undefined : fileOfName.get(name)
    if (other !== undefined) findings.push(refusal(file, 'name', `${other} has the same name.`))
    if (read.challenge === undefined || other !== undefined) {
      unreadable.push(file)
      continue
    }
    fileOfName.set(read.challenge.name, file)
    challenges.push({ file, folder: folderOf(file), challenge: read.challenge })
  }
  return { tree, game, challenges, fileCount: files.length, isPart: false, unreadable, findings }
}

/** Returns a function that checks whether a name or folder matches a pattern, in which `*` stands for any characters. */
function matcherOf(patterns: readonly string[]) {
  const expressions = patterns.map((pattern) => {
    const parts = pattern.split(/\*+/).map((part) => part.replaceAll(/[\\^$.|?+()[\]{}]/g, '\\$&'))
    return new RegExp(`^${parts.join('.*')}/?$`)
  })
  return (text: string): boolean => expressions.some((expression) => expression.test(text))
}

/**
 * Returns the folder with only the chosen challenges.
 * @param patterns names or folders of challenges, in which `*` stands for any characters
 * @throws if no challenge matches
 */
export function selectChallenges(folder: GameFolder, patterns: readonly string[] | undefined): GameFolder {
  if (patterns === undefined || patterns.length === 0) return folder
  const matches = matcherOf(patterns)
  const challenges = folder.challenges.filter((each) => matches(each.challenge.name) || matches(each.folder))
  const unreadable = folder.unreadable.filter((file) => matches(folderOf(file)))
  if (challenges.length + unreadable.length === 0) throw new Error(`No challenge matches ${patterns.join(', ')}.`)
  const isOfOther = (file: string) => folder.unreadable.includes(file) && !unreadable.includes(file)
  return {
    ...folder,
    challenges,
    unreadable,
    fileCount: challenges.length + unreadable.length,
    isPart: true,
    findings: folder.findings.filter(({ file }) => !isOfOther(file)),
  }
}
