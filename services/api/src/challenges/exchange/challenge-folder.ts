import { convertFiles } from '@capstan/challenge-files/challenge/challenge'
import { toChallengeFile } from '@capstan/challenge-files/challenge/write'
import type { FlagFile } from '@capstan/challenge-files/format/challenge'
import { formatChallengeFile } from '@capstan/challenge-files/format/write'
import { nameFromTitle } from '@capstan/challenge-files/importers/names'
import { addressOfLocalFile, parseStoredFileAddress, replaceMarkdownTargets } from '@capstan/challenge-files/markdown-targets'
import { chooseChallengeFolder, chooseFreeName, safeFileName, type TakenNames } from '@capstan/challenge-files/safe-names'
import type { Challenge, ChallengeFileRef } from '@capstan/contract/challenge'
import { hasContainer } from '@capstan/contract/challenge-types'
import { InputLimits } from '@capstan/contract/limits'
import type { NumberedChallenge } from '../editing/exchange-service.ts'

/** Challenge in the form of a folder: text files by path, and stored files by hash. */
export type ChallengeFolder = Readonly<{
  texts: ReadonlyMap<string, string>
  contents: readonly Readonly<{ path: string; hash: string }>[]
}>

/** Returns comments for the challenge file about parts that are not exported, and about parts that the challenge still lacks. */
function unsupportedParts({ type, flags, containers }: Challenge): string[] {
  return [
    ...(containers.some(({ definition }) => definition.secrets !== undefined)
      ? ['The values of secret variables are not exported. Set them where the file is applied, or in the editor.']
      : []),
    ...(type === 'DynamicAttachment' && flags.every(({ file }) => file === null)
      ? ['Each team needs its own file. Name one as `attachment` of each flag.']
      : []),
    ...(hasContainer(type) && containers.some(({ image }) => image === '')
      ? ['No image is set. Name an image, or a folder to build it from.']
      : []),
  ]
}

/** Returns a map from the id of each challenge to a unique name for its exported files. */
export function createUniqueChallengeNames(challenges: readonly NumberedChallenge[]): Map<number, string> {
  const taken = new Set<string>()
  return new Map(
    challenges.map(({ id, challenge }) => {
      const wanted = nameFromTitle(challenge.title).slice(0, InputLimits.maxWordLength - 6)
      let name = wanted
      for (let count = 2; taken.has(name); count++) name = `${wanted}-${count}`
      taken.add(name)
      return [id, name]
    }),
  )
}

/**
 * Writes a stored challenge in the form of challenge files.
 * @param names map from the id of each challenge to its name
 * @param taken set of used folders, to which this function adds the folder of this challenge
 * @param isStored returns true if the file with this hash is stored
 */
export async function writeChallengeFolder(
  { id, challenge }: NumberedChallenge,
  names: ReadonlyMap<number, string>,
  taken: Set<string>,
  isStored: (hash: string) => boolean,
): Promise<ChallengeFolder> {
  const name = names.get(id) ?? nameFromTitle(challenge.title)
  const inCategory = (each: string): string => `${challenge.category.toLowerCase()}/${each}`
  const folder = inCategory(chooseChallengeFolder(name, (each) => taken.has(inCategory(each))))
  taken.add(folder)

  const contents: { path: string; hash: string }[] = []
  const takenFiles: Record<'images' | 'files', TakenNames> = { images: new Map(), files: new Map() }
  const known = new Map<string, string>()
  const put = (into: keyof typeof takenFiles, hash: string, fileName: string): string => {
    const key = `${into} ${hash} ${fileName}`
    const path = known.get(key) ?? `${into}/${chooseFreeName(safeFileName(fileName), takenFiles[into])}`
    if (!known.has(key)) contents.push({ path: `${folder}/${path}`, hash })
    known.set(key, path)
    return path
  }
  const ruleOf = (given: ChallengeFileRef): FlagFile => {
    if ('url' in given) return given
    const file = put('files', given.hash, given.name)
    return file === `files/${given.name}` ? { file } : { file, as: given.name }
  }

  const content = replaceMarkdownTargets(challenge.description, (address) => {
    const target = parseStoredFileAddress(address)
    if (target === undefined || !isStored(target.hash)) return undefined
    const path = put('images', target.hash, target.name)
    return addressOfLocalFile({ path, as: path === `images/${target.name}` ? undefined : target.name })
  })
  const file = toChallengeFile(await convertFiles(challenge, ruleOf), {
    name,
    description: { file: 'description.md' },
    nameOf: (prerequisite) => names.get(prerequisite),
  })
  const notes = unsupportedParts(challenge)
  return {
    texts: new Map([
      [
        `${folder}/capstan.yaml`,
        formatChallengeFile(file, notes.length === 0 ? undefined : notes.map((note) => ` ${note}`).join('\n')),
      ],
      [`${folder}/description.md`, content],
    ]),
    contents,
  }
}
