import type { ChallengeFile, ContainerRule, FlagFile, FlagRule } from '@capstan/challenge-files/format/challenge'
import { challengeApiVersion } from '@capstan/challenge-files/format/challenge'
import { fieldsOf, furtherPortsOf, plainDefinition } from '@capstan/challenge-files/format/container'
import { writeChallenge } from '@capstan/challenge-files/format/write'
import { nameFrom } from '@capstan/challenge-files/importers/names'
import { localAddress, storedTargetOf, withTargets } from '@capstan/challenge-files/markdown-targets'
import { challengeFolder, freeName, safeFileName } from '@capstan/challenge-files/safe-names'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import { InputLimits, InstanceLimits, share } from '@capstan/contract/limits'
import type { StoredChallenge } from '../challenges/exchange-service.ts'

/** A challenge as a folder: texts by their path, and stored content by its hash. */
export interface OwnFolder {
  readonly texts: ReadonlyMap<string, string>
  readonly contents: readonly { readonly path: string; readonly hash: string }[]
}

const between = (value: number, least: number, most: number): number => Math.min(most, Math.max(least, value))

/** Without the flags that are the same for everybody, a template says that each team has its own. */
const anyTemplate = 'flag{[GUID]}'

/** What the format has no words for, as lines above the file. */
const unsaid = ({ challenge, attachment, flags }: StoredChallenge): string[] => [
  ...(Object.keys(challenge.containerSecrets).length > 0
    ? ['What its secret variables hold is not here: they are set where the file is applied, or in the editor.']
    : []),
  ...(challenge.type === 'DynamicAttachment' && flags.every((flag) => flag.attachment === null)
    ? ['Each team has a file of its own: name one as `attachment` of each flag.']
    : []),
  ...(challenge.type === 'DynamicAttachment' && attachment !== undefined
    ? ['A file beside those of the flags was not given out.']
    : []),
  ...(challenge.type.endsWith('Container') && challenge.containerImage === ''
    ? ['No image was set: it is built from this folder.']
    : []),
]

const portsOf = (challenge: StoredChallenge['challenge']): ContainerRule['ports'] => [
  {
    port: challenge.exposedPort,
    speaks: challenge.speaks,
    ...(challenge.isRawHttp ? { raw: true } : {}),
    ...(challenge.hasOwnCertificate ? { ownCertificate: true } : {}),
    ...(challenge.isGuarded ? { guarded: true } : {}),
  },
  ...furtherPortsOf(challenge.container),
]

/**
 * A stored challenge in the own format.
 *
 * @param taken names and folders of the challenges before it; its own are added
 * @param isStored whether there is content of a hash
 */
export const ownFolderOf = (
  stored: StoredChallenge,
  taken: { readonly names: Set<string>; readonly folders: Set<string> },
  isStored: (hash: string) => boolean,
): OwnFolder => {
  const { challenge, attachment, flags } = stored
  const wanted = nameFrom(challenge.title).slice(0, InputLimits.wordMaxLength - 6)
  let name = wanted
  for (let count = 2; taken.names.has(name); count++) name = `${wanted}-${count}`
  taken.names.add(name)
  const inCategory = (each: string): string => `${challenge.category.toLowerCase()}/${each}`
  const folder = inCategory(challengeFolder(name, (each) => taken.folders.has(inCategory(each))))
  taken.folders.add(folder)

  const contents: { path: string; hash: string }[] = []
  const takenFiles = { images: new Set<string>(), files: new Set<string>() }
  const known = new Map<string, string>()
  const put = (into: keyof typeof takenFiles, hash: string, fileName: string): string => {
    const key = `${into} ${hash} ${fileName}`
    const path = known.get(key) ?? `${into}/${freeName(safeFileName(fileName), takenFiles[into])}`
    if (!known.has(key)) contents.push({ path: `${folder}/${path}`, hash })
    known.set(key, path)
    return path
  }
  const ruleOf = (given: NonNullable<StoredChallenge['attachment']>): FlagFile => {
    if (given.type === 'Remote' || given.fileHash === null) return { url: given.remoteUrl ?? '' }
    const fileName = given.fileName ?? 'attachment'
    const file = put('files', given.fileHash, fileName)
    return file === `files/${fileName}` ? { file } : { file, as: fileName }
  }

  const content = withTargets(challenge.content, (address) => {
    const target = storedTargetOf(address)
    if (target === undefined || !isStored(target.hash)) return undefined
    const path = put('images', target.hash, target.name)
    return localAddress({ path, as: path === `images/${target.name}` ? undefined : target.name })
  })
  const hasContainer = challenge.type === 'StaticContainer' || challenge.type === 'DynamicContainer'
  const file: ChallengeFile = {
    apiVersion: challengeApiVersion,
    kind: 'Challenge',
    name,
    title: challenge.title,
    category: challenge.category as ChallengeCategory,
    ...(challenge.tags.length === 0 ? {} : { tags: challenge.tags }),
    ...(challenge.level === null ? {} : { difficulty: challenge.level }),
    ...(challenge.isEnabled ? { enabled: true } : {}),
    description: { file: 'description.md' },
    score: {
      points: challenge.originalScore,
      minimumShare: between(challenge.minScoreRate, share.minimum, share.maximum),
      difficulty: challenge.difficulty,
    },
    flags:
      challenge.type === 'DynamicContainer'
        ? [{ template: challenge.flagTemplate ?? anyTemplate }]
        : flags.map(
            ({ flag, kind, attachment: own }): FlagRule =>
              kind === 'Pattern'
                ? { pattern: flag }
                : {
                    text: flag,
                    ...(kind === 'Caseless' ? { ignoreCase: true } : {}),
                    ...(own === null ? {} : { attachment: ruleOf(own) }),
                  },
          ),
    ...(challenge.hints.length === 0 ? {} : { hints: challenge.hints.filter((text) => text !== '').map((text) => ({ text })) }),
    ...(attachment === undefined || challenge.type === 'DynamicAttachment' ? {} : { attachments: [ruleOf(attachment)] }),
    ...(challenge.type === 'DynamicAttachment' && challenge.fileName.trim() !== ''
      ? { attachmentName: challenge.fileName.trim() }
      : {}),
    ...(hasContainer
      ? {
          container: {
            ...(challenge.containerImage === '' ? { build: { context: '.' } } : { image: challenge.containerImage }),
            ports: portsOf(challenge),
            ...fieldsOf({
              ...plainDefinition(challenge.container, challenge.exposedPort),
              secrets: Object.keys(challenge.containerSecrets)
                .sort()
                .map((secret) => ({ name: secret })),
            }),
            cpu: challenge.cpuTenths / 10,
            memoryMb: challenge.memoryMb,
            storageMb: between(challenge.storageMb, InstanceLimits.storageMbMin, InstanceLimits.storageMbMax),
            ...(challenge.captureTraffic ? { capture: true } : {}),
          },
        }
      : {}),
  }
  const notes = unsaid(stored)
  return {
    texts: new Map([
      [
        `${folder}/capstan.yaml`,
        writeChallenge(file, notes.length === 0 ? undefined : notes.map((note) => ` ${note}`).join('\n')),
      ],
      [`${folder}/description.md`, `${content}\n`],
    ]),
    contents,
  }
}
