import type { ChallengeFile } from '../format/challenge.ts'
import { challengeFolder } from '../safe-names.ts'
import { folderOf } from '../tree.ts'
import { isSheet } from './ctfd-sheet.ts'
import type { Imported } from './dialect.ts'

export type Placed = Readonly<{
  imported: Imported
  challenge: ChallengeFile
  /** Path of the challenge's `capstan.yaml`. */
  target: string
}>

function inFolder(folder: string): string {
  return folder === '' ? 'capstan.yaml' : `${folder}/capstan.yaml`
}

/** Moves a challenge into a folder one level below. Its paths change, so that they lead to the same files. */
function oneBelow(challenge: ChallengeFile): ChallengeFile {
  const up = <Named extends object>(named: Named): Named =>
    'file' in named && typeof named.file === 'string' ? { ...named, file: `../${named.file}` } : named
  const { description, flags, attachments, container } = challenge
  const build = container?.build
  return {
    ...challenge,
    description: typeof description === 'object' ? up(description) : description,
    flags: flags.map(up),
    ...(attachments === undefined ? {} : { attachments: attachments.map(up) }),
    ...(container === undefined || build === undefined
      ? {}
      : { container: { ...container, build: { ...build, context: build.context === '.' ? '..' : `../${build.context}` } } }),
  }
}

/**
 * Chooses the paths of imported challenges. The first challenge of a folder is written next to its descriptor. All others, and
 * all challenges of a sheet, get a subfolder. It skips refused challenges.
 */
export function choosePaths(imported: readonly Imported[]): Placed[] {
  const described = imported.flatMap((each) =>
    each.challenge === undefined ? [] : [{ imported: each, challenge: each.challenge }],
  )
  const taken = new Set<string>()
  const firsts = new Set(
    described.filter(({ imported: { file } }) => {
      // The folder of a sheet may already contain the file of a game.
      if (isSheet(file)) return false
      const target = inFolder(folderOf(file))
      return !taken.has(target) && taken.add(target)
    }),
  )
  return described.map((each): Placed => {
    const folder = folderOf(each.imported.file)
    if (firsts.has(each)) return { ...each, target: inFolder(folder) }
    const name = challengeFolder(each.challenge.name, () => false)
    const own = folder === '' ? name : `${folder}/${name}`
    let target = inFolder(own)
    for (let count = 2; taken.has(target); count++) target = inFolder(`${own}-${count}`)
    taken.add(target)
    return { ...each, target, challenge: oneBelow(each.challenge) }
  })
}
