import { type ChallengeFile, mapContainers } from '../format/challenge.ts'
import { chooseChallengeFolder } from '../safe-names.ts'
import { type FileTree, folderOf } from '../tree.ts'
import { isCsvFileName } from './ctfd-sheet.ts'
import type { Imported } from './dialect.ts'
import { mapImportedFiles } from './known-names.ts'

export type Placed = Readonly<{
  imported: Imported
  challenge: ChallengeFile
  /** Path of the challenge's `capstan.yaml`. */
  target: string
}>

function inFolder(folder: string): string {
  return folder === '' ? 'capstan.yaml' : `${folder}/capstan.yaml`
}

/** Moves a challenge into a subfolder. Its relative paths are adjusted to refer to the same files. */
function oneBelow(challenge: ChallengeFile): ChallengeFile {
  const up = <Named extends object>(named: Named): Named =>
    'file' in named && typeof named.file === 'string' ? { ...named, file: `../${named.file}` } : named
  const { description, flags, attachments } = challenge
  return {
    ...mapContainers(challenge, ({ build, ...container }) => ({
      ...container,
      ...(build && { build: { ...build, context: build.context === '.' ? '..' : `../${build.context}` } }),
    })),
    description: typeof description === 'object' ? up(description) : description,
    flags: flags.map(up),
    ...(attachments === undefined ? {} : { attachments: attachments.map(up) }),
  }
}

/**
 * Chooses the paths of imported challenges. A challenge that was imported before retains its path. The first challenge of a
 * folder is written next to its descriptor. All other challenges, and all challenges of a sheet, get a subfolder. Skips refused
 * challenges.
 */
export function chooseChallengePaths(tree: FileTree, imported: readonly Imported[]): Placed[] {
  const known = mapImportedFiles(tree)
  const described = imported.flatMap((each) =>
    each.challenge === undefined ? [] : [{ imported: each, challenge: each.challenge }],
  )
  const earlier = new Map(
    described.flatMap((each) => {
      const { file } = each.imported
      const before = known.get(file)?.find(({ name }) => name === each.challenge.name)
      const folder = folderOf(before?.target ?? '')
      const isNear = folder === folderOf(file) || folderOf(folder) === folderOf(file)
      return before !== undefined && isNear ? [[each, before.target] as const] : []
    }),
  )
  const taken = new Set(earlier.values())
  const firsts = new Set(
    described.filter((each) => {
      // The folder of a CSV file may contain the `capstan.yaml` of a game.
      if (isCsvFileName(each.imported.file) || earlier.has(each)) return false
      const target = inFolder(folderOf(each.imported.file))
      return !taken.has(target) && taken.add(target)
    }),
  )
  return described.map((each): Placed => {
    const folder = folderOf(each.imported.file)
    const before = earlier.get(each)
    if (before !== undefined)
      return { ...each, target: before, challenge: before === inFolder(folder) ? each.challenge : oneBelow(each.challenge) }
    if (firsts.has(each)) return { ...each, target: inFolder(folder) }
    const name = chooseChallengeFolder(each.challenge.name, () => false)
    const own = folder === '' ? name : `${folder}/${name}`
    let target = inFolder(own)
    for (let count = 2; taken.has(target); count++) target = inFolder(`${own}-${count}`)
    taken.add(target)
    return { ...each, target, challenge: oneBelow(each.challenge) }
  })
}
