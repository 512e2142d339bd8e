import type { ChallengeFile, ContainerRule, FlagFile, FlagRule } from '@capstan/challenge-files/format/challenge'
import { challengeApiVersion } from '@capstan/challenge-files/format/challenge'
import { fieldsOf, furtherPortsOf, plainDefinition } from '@capstan/challenge-files/format/container'
import { writeChallenge } from '@capstan/challenge-files/format/write'
import { nameFrom } from '@capstan/challenge-files/importers/names'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import { InputLimits, InstanceLimits, share } from '@capstan/contract/limits'
import { freeName } from '../archives/zip-writer.ts'
import type { StoredChallenge } from '../challenges/exchange-service.ts'
import { safePathPart } from '../http/archive.ts'

/** A challenge as a folder: texts by their path, and stored content by its hash. */
export interface OwnFolder {
  readonly texts: ReadonlyMap<string, string>
  readonly contents: readonly { readonly path: string; readonly hash: string }[]
}

const address = /\/assets\/([0-9a-f]{64})\/([^\s()"'<>]{1,512})/g

const nameOf = (encoded: string): string => {
  try {
    return decodeURIComponent(encoded)
  } catch {
    return encoded
  }
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
 * @param takenNames names of the challenges before it; its own is added
 * @param isStored whether there is content of a hash
 */
export const ownFolderOf = (stored: StoredChallenge, takenNames: Set<string>, isStored: (hash: string) => boolean): OwnFolder => {
  const { challenge, attachment, flags } = stored
  const wanted = nameFrom(challenge.title).slice(0, InputLimits.wordMaxLength - 6)
  let name = wanted
  for (let count = 2; takenNames.has(name); count++) name = `${wanted}-${count}`
  takenNames.add(name)
  const folder = `${challenge.category.toLowerCase()}/${name}`

  const contents: { path: string; hash: string }[] = []
  const taken = new Set<string>()
  const known = new Map<string, string>()
  const put = (into: string, hash: string, fileName: string): string => {
    const key = `${into} ${hash} ${fileName}`
    const path = known.get(key) ?? `${into}/${freeName(safePathPart(fileName), taken)}`
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

  const content = challenge.content.replaceAll(address, (whole, hash: string, encoded: string) =>
    isStored(hash) ? put('images', hash, nameOf(encoded).replaceAll(/[^\p{L}\p{N}._-]/gu, '_')) : whole,
  )
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
