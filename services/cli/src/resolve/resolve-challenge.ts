import { join } from 'node:path'
import type { AttachmentRule, ChallengeFile, FlagRule } from '@capstan/challenge-files/format/challenge'
import { definitionOf, tellFault } from '@capstan/challenge-files/format/container'
import { capstanFileName } from '@capstan/challenge-files/format/find'
import { nameOf } from '@capstan/challenge-files/tree'
import type { ChallengeType } from '@capstan/contract/challenges'
import { type ContainerChoices, type ContainerDefinition, containerFaults } from '@capstan/contract/container-definition'
import { tidyFileName } from '@capstan/contract/file-name'
import { Defaults, Limits } from '@capstan/contract/limits'
import { canBeGuarded } from '@capstan/contract/reach'
import { tidyTags } from '@capstan/contract/tags'
import type { Folder } from '../folder-tree.ts'
import type { LoadedChallenge } from '../game-folder.ts'
import {
  type ChallengeState,
  containerStateOf,
  definitionOfState,
  type FileState,
  type FlagState,
  hasContainer,
  hasSharedFlags,
  inOrder,
  plainReach,
  secretNamesOf,
  unusedAttachmentName,
  unusedContainer,
} from '../state/challenge-state.ts'
import { digestOf, sha256 } from '../state/digest.ts'
import { packFiles } from './archive.ts'
import { type Surroundings, Unresolved } from './surroundings.ts'
import { fileMaxBytes, pathIn, resolveText, type Uploads } from './text.ts'

/** Flags with a file each that are not made yet. */
export interface FlagsToMake {
  /** `[HEX]` is filled in. */
  readonly template: string
  readonly count: number
  /** Name of the file that a flag gets. */
  readonly as: string
  readonly make: (flag: string) => Promise<Uint8Array>
}

/** An attachment that a command makes, as a whole or in part. */
export interface MadeAttachment {
  /** Digest of the command and of the files that it may read. */
  readonly inputs: string
  /** False: the command was not run, and the wanted attachment is the present one. */
  readonly isKnown: boolean
}

/** What a file wants of a challenge. */
export interface WantedChallenge {
  readonly type: ChallengeType
  readonly state: ChallengeState
  /** Images that the description names. */
  readonly images: Uploads
  /** Files of attachment and flags. */
  readonly files: Uploads
  readonly toMake: FlagsToMake | undefined
  /** Present only if a command makes the attachment. */
  readonly made: MadeAttachment | undefined
  /** Name of a secret variable -> its value; those that stay as the platform has them are not in it. */
  readonly secretValues: ReadonlyMap<string, string>
  /** Parts of the file that the platform has no place for. */
  readonly notes: readonly string[]
}

const flagLine = (tree: Folder, folder: string, path: string): string =>
  tree
    .readText(pathIn(folder, path), Limits.flagMaxLength * 8)
    .split('\n', 1)[0]
    ?.trim() ?? ''

const hexMarker = '[HEX]'
const hexLength = 12

/** True if the rule for each team makes a flag. */
export const isMadeBy = (template: string, flag: string): boolean => {
  const [before = '', after = ''] = template.split(hexMarker)
  const middle = flag.slice(before.length, flag.length - after.length)
  return flag.startsWith(before) && flag.endsWith(after) && middle.length === hexLength && /^[0-9a-f]*$/.test(middle)
}

/** A flag of a rule for each team. @param digits 12 hexadecimal digits */
export const fillHex = (template: string, digits: string): string => template.replace(hexMarker, digits)

const isTemplate = (flag: FlagRule): flag is Extract<FlagRule, { template: string }> => 'template' in flag
export const isEachTeam = (flag: FlagRule): flag is Extract<FlagRule, { eachTeam: string }> => 'eachTeam' in flag
const hasOwnFile = (flag: FlagRule): boolean => isEachTeam(flag) || ('text' in flag && flag.attachment !== undefined)

/** What flags and container say of the type. */
export const typeOf = ({ type, flags, container }: ChallengeFile): ChallengeType => {
  if (type !== undefined) return type
  if (container === undefined) return flags.some(hasOwnFile) ? 'DynamicAttachment' : 'StaticAttachment'
  return flags.some((flag) => !isTemplate(flag)) ? 'StaticContainer' : 'DynamicContainer'
}

const isRule = (flag: FlagRule): boolean => 'pattern' in flag || ('ignoreCase' in flag && flag.ignoreCase === true)

const refuseFlags = (type: ChallengeType, { flags }: ChallengeFile): string | undefined => {
  const templates = flags.filter(isTemplate).length
  if (type === 'DynamicContainer' && (templates > 1 || templates < flags.length))
    return 'Each team gets a flag of its own here: `flags` holds one template and nothing else.'
  if (type !== 'DynamicContainer' && templates > 0) return 'A template of flags needs a container and no other flags beside it.'
  if (flags.filter(isEachTeam).length > 1) return 'One rule makes the flags of all teams.'
  if (type !== 'DynamicAttachment' && flags.some(hasOwnFile)) return 'Flags with files of their own need every flag to have one.'
  if (!hasSharedFlags(type) && flags.some((flag) => 'pattern' in flag))
    return 'A pattern is a flag for all teams: no flag beside it has a file of its own.'
  if (flags.filter(isRule).length > Limits.flagRulesMax)
    return `At most ${Limits.flagRulesMax} flags are patterns, or without upper and lower case.`
  if (flags.some((flag) => isEachTeam(flag) && flag.eachTeam.split(hexMarker).length !== 2))
    return '`eachTeam` holds `[HEX]` once.'
  return undefined
}

const notesOf = (type: ChallengeType, { authors = [], hints = [], flags, container }: ChallengeFile): string[] => {
  const left = [
    ...(authors.length > 0 ? ['authors'] : []),
    ...(hints.some(({ cost = 0 }) => cost > 0) ? ['cost of hints'] : []),
    ...(!hasSharedFlags(type) && flags.some((flag) => 'ignoreCase' in flag && flag.ignoreCase === true)
      ? ['ignoreCase of flags with files of their own']
      : []),
    ...(container?.ports.slice(1).some(({ raw, ownCertificate, guarded }) => raw || ownCertificate || guarded)
      ? ['`raw`, `ownCertificate` and `guarded` of ports beside the first']
      : []),
  ]
  return left.map((what) => `${what}: the platform has no place for it.`)
}

/** Puts what a file names into the state that is wanted. */
const createCollector = (tree: Folder, folder: string, surroundings: Surroundings) => {
  const files: Uploads = new Map()
  const keep = (name: string, content: Uint8Array): FileState => {
    const hash = sha256(content)
    const tidy = tidyFileName(name)
    files.set(hash, { name: tidy, content })
    return { hash, name: tidy }
  }
  const read = (path: string): Buffer => tree.readBytes(pathIn(folder, path), fileMaxBytes)
  const make = (command: readonly string[], flag: string | undefined): Promise<Uint8Array> => {
    if (!surroundings.make) throw new Error('No command is run here')
    return surroundings.make({ command, cwd: join(tree.root, folder), flag })
  }
  return { files, keep, read, make }
}

type Collector = ReturnType<typeof createCollector>

export const isMade = (rule: AttachmentRule): boolean => 'make' in rule

/** Digest of what the commands of attachments may read in the folder of their challenge. */
const inputsOf = (tree: Folder, { challenge, file, folder }: LoadedChallenge, flag: string | undefined): string => {
  const { attachments, description } = challenge
  const ignored = new Set([file, ...(typeof description === 'object' ? [pathIn(folder, description.file)] : [])])
  const inside = folder === '' ? '' : `${folder}/`
  const files = tree.paths
    .filter((path) => path.startsWith(inside) && !ignored.has(path) && nameOf(path) !== capstanFileName)
    .map((path) => [path.slice(inside.length), sha256(tree.readBytes(path, fileMaxBytes))])
  return digestOf({ attachments, flag, files })
}

const refuseSameNames = (rules: readonly AttachmentRule[]): void => {
  const names = rules.map((rule) => ('url' in rule ? rule.url : 'file' in rule ? (rule.as ?? nameOf(rule.file)) : rule.as))
  if (new Set(names).size < names.length) throw new Unresolved('Two attachments have the same name: say `as` for one.')
}

const attachmentOf = async (
  { keep, read, make }: Collector,
  name: string,
  rules: readonly AttachmentRule[],
  flag: string | undefined,
): Promise<FileState | null> => {
  const [first, ...others] = rules
  if (first === undefined) return null
  const contentOf = async (rule: Exclude<AttachmentRule, { url: string }>) =>
    'file' in rule
      ? { name: rule.as ?? nameOf(rule.file), content: read(rule.file) }
      : { name: rule.as, content: await make(rule.make, flag) }
  if (others.length === 0 && 'url' in first) return { url: first.url }
  const packed: { name: string; content: Uint8Array }[] = []
  for (const rule of rules) {
    if ('url' in rule) throw new Unresolved('Attachments are either one address or files.')
    packed.push(await contentOf(rule))
  }
  const [only] = packed
  if (packed.length === 1 && only) return keep(only.name, only.content)
  return keep(`${name}.zip`, packFiles(packed))
}

const flagOf = (
  { keep, read }: Collector,
  rule: FlagRule,
  type: ChallengeType,
  tree: Folder,
  folder: string,
  { environment }: Surroundings,
): FlagState[] => {
  if ('file' in rule) return [{ flag: flagLine(tree, folder, rule.file), file: null }]
  if ('environment' in rule) {
    const flag = environment[rule.environment]?.trim()
    if (!flag) throw new Unresolved(`The variable ${rule.environment} that holds a flag is not set.`)
    return [{ flag, file: null }]
  }
  if ('pattern' in rule) {
    const flag = rule.ignoreCase === true ? `(?i)${rule.pattern}` : rule.pattern
    if ([...flag].length > Limits.flagPatternMaxLength)
      throw new Unresolved(`A pattern has at most ${Limits.flagPatternMaxLength} characters, \`(?i)\` among them.`)
    return [{ flag, file: null, kind: 'Pattern' }]
  }
  if (!('text' in rule)) return []
  const { attachment } = rule
  if (attachment === undefined)
    return [{ flag: rule.text.trim(), file: null, ...(rule.ignoreCase === true && hasSharedFlags(type) && { kind: 'Caseless' }) }]
  if ('url' in attachment) return [{ flag: rule.text.trim(), file: { url: attachment.url } }]
  return [{ flag: rule.text.trim(), file: keep(attachment.as ?? nameOf(attachment.file), read(attachment.file)) }]
}

/** Why a container cannot be run as it is wanted. @param choices what the platform allows; everything, where that is not known yet */
export const refuseContainer = (state: ChallengeState, choices?: ContainerChoices): string | undefined => {
  const secrets = state.secrets.map((name) => ({ name }))
  const [fault] = containerFaults({ ...definitionOfState(state), secrets }, state.port, choices)
  if (fault === undefined) return undefined
  const { field, why } = tellFault(fault)
  return `${field}: ${why}`
}

/** How a container is run, with its secrets out of the environment. Those that are not there stay as the platform has them. */
const runOf = (
  { challenge: { container } }: LoadedChallenge,
  { environment }: Surroundings,
  present: ChallengeState | undefined,
): { readonly definition: ContainerDefinition; readonly secretValues: Map<string, string> } => {
  if (container === undefined) return { definition: {}, secretValues: new Map() }
  const definition = definitionOf(container, (variable) => environment[variable] || null)
  const secretValues = new Map<string, string>()
  for (const { name, value } of definition.secrets ?? []) {
    if (value != null) secretValues.set(name, value)
    else if (present?.secrets.includes(name) !== true)
      throw new Unresolved(`The variable that holds the secret ${name} of its container is not set.`)
  }
  return { definition, secretValues }
}

const containerOf = (loaded: LoadedChallenge, surroundings: Surroundings, definition: ContainerDefinition) => {
  const { container } = loaded.challenge
  if (container === undefined) return unusedContainer
  const image = container.image ?? surroundings.imageOf(loaded)
  if (image === undefined) throw new Unresolved('Its image is not built, or was before its files changed: run `capstan build`.')
  const [main] = container.ports
  const port = main?.port ?? Defaults.exposedPort
  const reach = plainReach({
    speaks: main?.speaks ?? 'tcp',
    isRaw: main?.raw ?? false,
    hasOwnCertificate: main?.ownCertificate ?? false,
    isGuarded: main?.guarded ?? false,
  })
  if (reach.isGuarded === true && !canBeGuarded(reach))
    throw new Unresolved('`guarded` is for `speaks: http` without `raw` and `ownCertificate`.')
  return {
    image: image.trim(),
    port,
    memoryMb: container.memoryMb ?? Defaults.memoryMb,
    cpuTenths: container.cpu === undefined ? Defaults.cpuTenths : Math.round(container.cpu * 10),
    storageMb: container.storageMb ?? Defaults.storageMb,
    capture: container.capture ?? false,
    reach,
    secrets: secretNamesOf(definition),
    ...containerStateOf(definition, port),
  } as const
}

/**
 * What a file wants, with all that it names read and made. Flags of teams and secrets that the platform has already are kept.
 *
 * @throws Unresolved
 */
export const resolveChallenge = async (
  tree: Folder,
  loaded: LoadedChallenge,
  surroundings: Surroundings,
  present?: ChallengeState,
): Promise<WantedChallenge> => {
  const { challenge, folder } = loaded
  const type = typeOf(challenge)
  const refusal = refuseFlags(type, challenge)
  if (refusal !== undefined) throw new Unresolved(refusal)
  const collector = createCollector(tree, folder, surroundings)
  const { text, images } = resolveText(tree, folder, challenge.description)
  const flags = challenge.flags.flatMap((rule) => flagOf(collector, rule, type, tree, folder, surroundings))
  const eachTeam = challenge.flags.find(isEachTeam)
  const made = eachTeam
    ? (present?.flags ?? []).filter(({ flag, file }) => file !== null && isMadeBy(eachTeam.eachTeam, flag))
    : []
  const missing = eachTeam ? eachTeam.count - made.length : 0
  const attachments = challenge.attachments ?? []
  if (type === 'DynamicAttachment' && attachments.length > 0)
    throw new Unresolved('Each flag has a file of its own here: `attachments` stays empty.')
  refuseSameNames(attachments)
  const isKnown = surroundings.make !== undefined || !attachments.some(isMade)
  const attachment = isKnown
    ? await attachmentOf(collector, challenge.name, attachments, flags[0]?.flag)
    : (present?.attachment ?? null)
  const template = challenge.flags.find(isTemplate)
  const { definition, secretValues } = runOf(loaded, surroundings, present)
  const state: ChallengeState = {
    title: challenge.title.trim(),
    category: challenge.category,
    tags: tidyTags(challenge.tags ?? []),
    level: challenge.difficulty ?? null,
    enabled: challenge.enabled ?? false,
    description: text,
    points: challenge.score?.points ?? Defaults.originalScore,
    minimumShare: challenge.score?.minimumShare ?? Defaults.minScoreRate,
    difficulty: challenge.score?.difficulty ?? Defaults.difficulty,
    hints: (challenge.hints ?? []).map((hint) => hint.text),
    flags: inOrder([...flags, ...made]),
    template: template?.template.trim() ?? '',
    attachment,
    attachmentName:
      type === 'DynamicAttachment'
        ? (eachTeam?.as ?? challenge.attachmentName ?? unusedAttachmentName).trim()
        : unusedAttachmentName,
    ...(hasContainer(type) ? containerOf(loaded, surroundings, definition) : unusedContainer),
  }
  const contradiction = refuseContainer(state)
  if (contradiction !== undefined) throw new Unresolved(contradiction)
  return {
    type,
    state,
    images,
    files: collector.files,
    toMake:
      eachTeam && missing > 0
        ? { template: eachTeam.eachTeam, count: missing, as: eachTeam.as, make: (flag) => collector.make(eachTeam.make, flag) }
        : undefined,
    made: attachments.some(isMade) ? { inputs: inputsOf(tree, loaded, flags[0]?.flag), isKnown } : undefined,
    secretValues,
    notes: [
      ...notesOf(type, challenge),
      ...(isKnown ? [] : ['attachments: a command makes them, and they are known after apply.']),
      ...(surroundings.make === undefined && missing > 0 ? ['flags: a command makes their files, known after apply.'] : []),
    ],
  }
}
