import { plainDefinition } from '@capstan/challenge-files/format/container'
import { assetsPath } from '@capstan/contract/asset-address'
import type { ChallengeLabels } from '@capstan/contract/challenge-labels'
import type { ChallengeCategory, ChallengeEdit, ChallengeType, FlagEntry, FlagKind } from '@capstan/contract/challenges'
import type { ContainerDefinition, StoredContainer } from '@capstan/contract/container-definition'
import type { Attachment } from '@capstan/contract/files'
import { Defaults } from '@capstan/contract/limits'
import type { ChallengeReach } from '@capstan/contract/reach'
import { plainLines } from './digest.ts'

/** A file as the platform keeps it, or an address elsewhere. */
export type FileState = { readonly hash: string; readonly name: string } | { readonly url: string }

export interface FlagState {
  readonly flag: string
  readonly file: FileState | null
  /** Absent: letter by letter. */
  readonly kind?: Exclude<FlagKind, 'Exact'>
}

type OrNull<Fields> = { readonly [Key in keyof Fields]-?: Exclude<Fields[Key], undefined> | null }

/** How a container is run, each setting by itself; null is as the image or the platform has it. `flag` is where it finds its flag. */
export type ContainerState = OrNull<Omit<StoredContainer, 'flag'>> & { readonly flagPlaces: StoredContainer['flag'] | null }

/**
 * A challenge in the form in which files and platform are compared, field by field. Parts that its type does not use have their
 * defaults on both sides.
 */
export interface ChallengeState extends ContainerState {
  readonly title: string
  readonly category: ChallengeCategory
  readonly tags: readonly string[]
  /** In a word; null: not given. */
  readonly level: ChallengeLabels['difficulty']
  readonly enabled: boolean
  readonly description: string
  readonly points: number
  readonly minimumShare: number
  readonly difficulty: number
  readonly hints: readonly string[]
  /** In order; none for `DynamicContainer`. */
  readonly flags: readonly FlagState[]
  readonly template: string
  readonly attachment: FileState | null
  readonly attachmentName: string
  readonly image: string
  readonly port: number
  readonly memoryMb: number
  readonly cpuTenths: number
  readonly storageMb: number
  readonly capture: boolean
  readonly reach: ChallengeReach
  /** Names of variables that nobody is told, in order. */
  readonly secrets: readonly string[]
}

export type ChallengeField = keyof ChallengeState

/** What is not shown: who reads a log of CI shall not read flags. */
export const secretChallengeFields: ReadonlySet<string> = new Set<ChallengeField>(['flags', 'template'])

/** Whether its flags are the same for all teams: only these may be compared otherwise than letter by letter. */
export const hasSharedFlags = (type: ChallengeType): boolean => type === 'StaticAttachment' || type === 'StaticContainer'

export const hasContainer = (type: ChallengeType): boolean => type === 'StaticContainer' || type === 'DynamicContainer'

export const defaultReach: ChallengeReach = { speaks: 'tcp', isRaw: false, hasOwnCertificate: false }

/** @param entry port that players are led to */
export const containerStateOf = (definition: ContainerDefinition, entry: number): ContainerState => {
  const plain = plainDefinition(definition, entry)
  return {
    command: plain.command ?? null,
    args: plain.args ?? null,
    environment: plain.environment ?? null,
    flagPlaces: plain.flag ?? null,
    user: plain.user ?? null,
    group: plain.group ?? null,
    readOnlyRoot: plain.readOnlyRoot ?? null,
    writablePaths: plain.writablePaths ?? null,
    egress: plain.egress ?? null,
    security: plain.security ?? null,
    exposure: plain.exposure ?? null,
    furtherPorts: plain.furtherPorts ?? null,
    offeredPorts: plain.offeredPorts ?? null,
    plainPort: plain.plainPort ?? null,
    readiness: plain.readiness ?? null,
    startTimeoutSeconds: plain.startTimeoutSeconds ?? null,
    pullSecret: plain.pullSecret ?? null,
  }
}

export const containerFields: ReadonlySet<string> = new Set(Object.keys(containerStateOf({}, Defaults.exposedPort)))

/** What `containerStateOf` takes apart. */
export const definitionOfState = (state: ContainerState): ContainerDefinition => {
  const { flagPlaces, ...others } = state
  const fields = Object.entries({ ...others, flag: flagPlaces })
  return Object.fromEntries(fields.filter(([field, value]) => value !== null && isContainerField(field))) as ContainerDefinition
}

const isContainerField = (field: string): boolean => field === 'flag' || containerFields.has(field)

export const secretNamesOf = ({ secrets = [] }: ContainerDefinition): string[] => secrets.map(({ name }) => name).sort()

/** As files and platform are compared: what is not said is not there. */
export const plainReach = ({ speaks, isRaw, hasOwnCertificate, isGuarded }: ChallengeReach): ChallengeReach => ({
  speaks,
  isRaw,
  hasOwnCertificate,
  ...(isGuarded === true && { isGuarded }),
})

export const unusedContainer = {
  image: '',
  port: Defaults.exposedPort,
  memoryMb: Defaults.memoryMb,
  cpuTenths: Defaults.cpuTenths,
  storageMb: Defaults.storageMb,
  capture: false,
  reach: defaultReach,
  secrets: [],
  ...containerStateOf({}, Defaults.exposedPort),
} as const

export const unusedAttachmentName = 'attachment'

/** One file, whoever wrote it: the same key. */
export const keyOfFlag = ({ flag, file, kind }: FlagState): string => {
  if (kind !== undefined) return JSON.stringify({ kind, flag })
  return JSON.stringify(file === null ? [flag] : 'url' in file ? [flag, file.url] : [flag, file.hash, file.name])
}

export const inOrder = (flags: readonly FlagState[]): FlagState[] =>
  [...flags].sort((left, right) => (keyOfFlag(left) < keyOfFlag(right) ? -1 : 1))

const fileOf = (attachment: Attachment | null): FileState | null => {
  if (attachment === null || attachment.url === null || attachment.type === 'None') return null
  if (attachment.type === 'Remote') return { url: attachment.url }
  const [hash = '', name = ''] = attachment.url.slice(assetsPath.length + 1).split('/')
  return { hash, name: decodeURIComponent(name) }
}

/** Number of a flag -> how answers are compared with it; absent: letter by letter. */
export type FlagKinds = ReadonlyMap<number, FlagKind>

export const stateOfFlag = ({ id, flag, attachment }: FlagEntry, kinds: FlagKinds): FlagState => {
  const kind = kinds.get(id) ?? 'Exact'
  return { flag, file: fileOf(attachment), ...(kind !== 'Exact' && { kind }) }
}

/** What the platform tells of a challenge beside what is edited in one call. */
export interface PresentParts {
  readonly labels: ChallengeLabels
  readonly reach: ChallengeReach
  readonly container: ContainerDefinition
  readonly kinds: FlagKinds
}

/** A challenge as the platform has it. */
export const stateOfPlatform = (edit: ChallengeEdit, { labels, reach, container, kinds }: PresentParts): ChallengeState => ({
  title: edit.title,
  category: edit.category,
  tags: labels.tags,
  level: labels.difficulty,
  enabled: edit.isEnabled,
  description: plainLines(edit.content),
  points: edit.originalScore,
  minimumShare: edit.minScoreRate,
  difficulty: edit.difficulty,
  hints: edit.hints,
  flags: inOrder(edit.flags.map((entry) => stateOfFlag(entry, kinds))),
  template: edit.type === 'DynamicContainer' ? (edit.flagTemplate ?? '') : '',
  attachment: edit.type === 'DynamicAttachment' ? null : fileOf(edit.attachment),
  attachmentName: edit.type === 'DynamicAttachment' ? (edit.fileName ?? unusedAttachmentName) : unusedAttachmentName,
  ...(hasContainer(edit.type)
    ? {
        image: edit.containerImage,
        port: edit.containerExposePort,
        memoryMb: edit.memoryLimit,
        cpuTenths: edit.cpuCount,
        storageMb: edit.storageLimit,
        capture: edit.enableTrafficCapture ?? false,
        reach: plainReach(reach),
        secrets: secretNamesOf(container),
        ...containerStateOf(container, edit.containerExposePort),
      }
    : unusedContainer),
})
