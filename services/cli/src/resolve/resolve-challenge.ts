import { join } from 'node:path'
import { type ChallengeFlag, convertFiles } from '@capstan/challenge-files/challenge/challenge'
import { readDescribedChallenge } from '@capstan/challenge-files/challenge/read'
import type { GivenFile, Part } from '@capstan/challenge-files/challenge/read-files'
import { type EachTeamRule, hexMarker } from '@capstan/challenge-files/challenge/read-flags'
import { type AttachmentRule, containersOf } from '@capstan/challenge-files/format/challenge'
import { describeContainerFault } from '@capstan/challenge-files/format/container'
import { capstanFileName } from '@capstan/challenge-files/format/find'
import { nameOf } from '@capstan/challenge-files/tree'
import type { Challenge, ChallengeFileRef } from '@capstan/contract/challenge'
import type { ContainerChoices } from '@capstan/contract/container-definition'
import { findContainerListFaults } from '@capstan/contract/container-list-faults'
import { normalizeUnlockRule } from '@capstan/contract/unlock'
import { contentOfFile, contentOfZip, type FilePart, hashOfFile } from '../content.ts'
import type { Folder } from '../folder-tree.ts'
import type { LoadedChallenge } from '../game-folder.ts'
import { secretNamesOf, storedNameOfSecret } from '../state/challenge-fields.ts'
import { digestOfValue } from '../state/digest.ts'
import { type ResolveContext, Unresolved } from './resolve-context.ts'
import { maxFileBytes, replaceImageAddresses, resolvePathInFolder, type Uploads } from './text.ts'

/** Flags that must still be generated. Each flag has its own file. */
export type FlagsToGenerate = Readonly<{
  /** Template of a flag, in which random digits replace `[HEX]`. */
  template: string
  count: number
  /** Name under which players download the file. */
  as: string
  /** Generates the file. @returns its path, in a temporary folder */
  make: (flag: string) => Promise<string>
}>

/** Attachment that a command generates, at least in part. */
export type GeneratedAttachment = Readonly<{
  inputs: string
  /** True if the command was run. Otherwise, the attachment on the platform remains unchanged. */
  isKnown: boolean
}>

/** Challenge as its file describes it, with the content that it refers to. */
export type WantedChallenge = Readonly<{
  /** Challenge to apply. A secret variable without a value retains its value on the platform. */
  challenge: Challenge
  /** Names of the prerequisites, whose ids are in `challenge`. */
  after: readonly string[]
  /** Images in the description. */
  images: Uploads
  /** Files of the attachment and of the flags. */
  files: Uploads
  toMake: FlagsToGenerate | undefined
  made: GeneratedAttachment | undefined
  /** Known values of the secret variables, by name. */
  secretValues: ReadonlyMap<string, string>
  notes: readonly string[]
}>

const hexLength = 12

/** True if this rule, which generates a flag for each team, may have generated the flag. */
export function isGeneratedBy({ eachTeam }: EachTeamRule, flag: string): boolean {
  const [before = '', after = ''] = eachTeam.split(hexMarker)
  const middle = flag.slice(before.length, flag.length - after.length)
  return flag.startsWith(before) && flag.endsWith(after) && middle.length === hexLength && /^[0-9a-f]*$/.test(middle)
}

/**
 * Returns a flag from a template by replacing its placeholder `[HEX]`.
 * @param digits 12 hexadecimal digits
 */
export function fillHexPlaceholder(template: string, digits: string): string {
  return template.replace(hexMarker, digits)
}

export function isGeneratedAttachment(rule: AttachmentRule): boolean {
  return 'make' in rule
}

/** Returns a digest of all files and settings that the commands of attachments may use. */
function inputsOf(tree: Folder, { challenge, file, folder }: LoadedChallenge, flag: string | undefined): string {
  const { attachments, description } = challenge
  const ignored = new Set([file, ...(typeof description === 'object' ? [resolvePathInFolder(folder, description.file)] : [])])
  const inside = folder === '' ? '' : `${folder}/`
  const files = tree.paths
    .filter((path) => path.startsWith(inside) && !ignored.has(path) && nameOf(path) !== capstanFileName)
    .map((path) => [path.slice(inside.length), hashOfFile(tree.locate(path, maxFileBytes))])
  return digestOfValue({ attachments, flag, files })
}

/**
 * Returns the reason why the platform does not accept the settings of the containers.
 * @param choices settings that the platform allows; if undefined, all are allowed
 * @returns undefined if all settings are allowed
 */
export function refuseContainers(
  { containers }: Challenge,
  { challenge: file }: LoadedChallenge,
  choices?: ContainerChoices,
): string | undefined {
  const [fault] = findContainerListFaults(containers, choices)
  if (fault === undefined) return undefined
  const { field, why } = describeContainerFault(fault, containersOf(file))
  return `${field}: ${why}`
}

/**
 * Returns the values of secret variables that are known on this machine.
 * @throws Unresolved if a value is unknown here and on the platform
 */
function secretValuesOf(
  challenge: Challenge,
  present: Challenge | undefined,
  { challenge: file }: LoadedChallenge,
): ReadonlyMap<string, string> {
  const stored = present === undefined ? [] : secretNamesOf(present)
  const values = new Map<string, string>()
  const rules = containersOf(file)
  for (const [index, { name: container, definition }] of challenge.containers.entries())
    for (const { name, value } of definition.secrets ?? []) {
      const key = storedNameOfSecret(index, container, name)
      if (value != null) values.set(key, value)
      else if (!stored.includes(key)) {
        const given = rules[index]?.environment?.[name]
        const variable = typeof given === 'object' ? given.secret : name
        throw new Unresolved(
          `The environment variable ${variable} is not set. It must contain the secret ${name} of the container.`,
        )
      }
    }
  return values
}

/** Sets the prerequisites of a challenge to the ids of the challenges with these names. */
export function setPrerequisites(challenge: Challenge, ids: readonly number[]): Challenge {
  return { ...challenge, unlock: normalizeUnlockRule(challenge.unlock && { ...challenge.unlock, after: [...ids] }) }
}

/**
 * Environment in which every variable has a value. Checks of files use it, because the real values may exist only on another
 * machine.
 */
const anyEnvironment = new Proxy<Record<string, string>>({}, { get: () => 'value' })

/**
 * Returns the faults in the file of a challenge. Variables of the environment count as set, and images as built.
 */
export function findFileFaults(tree: Folder, { file, challenge }: LoadedChallenge): { field: string; why: string }[] {
  const described = readDescribedChallenge(tree, file, challenge, {
    environment: anyEnvironment,
    builtImage: () => 'built',
  })
  const places = containersOf(challenge)
  return [
    ...described.findings.filter(({ outcome }) => outcome === 'refused').map(({ field, why }) => ({ field, why })),
    ...findContainerListFaults(described.challenge.containers).map((fault) => describeContainerFault(fault, places)),
  ]
}

/**
 * Resolves the file of a challenge, and reads or generates all content that it refers to. Existing flags of teams and secrets do
 * not change.
 * @param ids ids of challenges by name
 * @throws Unresolved
 */
export async function resolveChallenge(
  tree: Folder,
  loaded: LoadedChallenge,
  resolveContext: ResolveContext,
  ids: ReadonlyMap<string, number>,
  present?: Challenge,
): Promise<WantedChallenge> {
  const { file, folder } = loaded
  const described = readDescribedChallenge(tree, file, loaded.challenge, {
    environment: resolveContext.environment,
    builtImage: (container) => resolveContext.imageOf(loaded, container),
  })
  const refusal = described.findings.find(({ outcome }) => outcome === 'refused')
  if (refusal !== undefined) throw new Unresolved(refusal.why)
  const { eachTeam, after } = described
  const unknown = after.find((name) => !ids.has(name))
  if (unknown !== undefined) throw new Unresolved(`unlock.after: No challenge has the name ${unknown}.`)
  const firstFlag = described.challenge.flags[0]?.flag
  const { workspace } = resolveContext
  const isKnown = workspace !== undefined || loaded.challenge.attachments?.some(isGeneratedAttachment) !== true

  const make = (command: readonly string[], flag: string | undefined): Promise<string> => {
    if (!workspace) throw new Error('The attachment is generated by a command, but no function to run commands was given')
    return workspace.make({ command, cwd: join(tree.root, folder), flag })
  }
  const locate = async (part: Part): Promise<string> =>
    'path' in part ? tree.locate(part.path, maxFileBytes) : make(part.make, firstFlag)
  const files: Uploads = new Map()
  const store = async (given: GivenFile): Promise<ChallengeFileRef> => {
    if ('url' in given) return given
    const parts: FilePart[] = []
    for (const part of given.parts) parts.push({ name: part.name, path: await locate(part) })
    const [only] = parts
    const content = parts.length === 1 && only ? contentOfFile(only.path) : await contentOfZip(parts, workspace?.folder)
    files.set(content.hash, { name: given.name, content })
    return { hash: content.hash, name: given.name }
  }

  const { description, images } = replaceImageAddresses(tree, described)
  const stored = await convertFiles(isKnown ? described.challenge : { ...described.challenge, attachment: null }, store)
  const madeFlags: ChallengeFlag[] = eachTeam
    ? (present?.flags ?? []).filter(({ flag, file: own }) => own !== null && isGeneratedBy(eachTeam, flag))
    : []
  const missing = eachTeam ? eachTeam.count - madeFlags.length : 0
  const linked = setPrerequisites(
    { ...stored, description },
    after.flatMap((name) => ids.get(name) ?? []),
  )
  const challenge: Challenge = {
    ...linked,
    flags: [...stored.flags, ...madeFlags],
    ...(!isKnown && { attachment: present?.attachment ?? null }),
  }
  const contradiction = refuseContainers(challenge, loaded)
  if (contradiction !== undefined) throw new Unresolved(contradiction)
  return {
    challenge,
    after,
    images,
    files,
    toMake:
      eachTeam && missing > 0
        ? { template: eachTeam.eachTeam, count: missing, as: eachTeam.as, make: (flag) => make(eachTeam.make, flag) }
        : undefined,
    made: loaded.challenge.attachments?.some(isGeneratedAttachment)
      ? { inputs: inputsOf(tree, loaded, firstFlag), isKnown }
      : undefined,
    secretValues: secretValuesOf(challenge, present, loaded),
    notes: [
      ...described.findings.map(({ field, why }) => `${field}: ${why}`),
      ...(isKnown ? [] : ['attachments: known after apply, because apply runs the command that generates them.']),
      ...(workspace === undefined && missing > 0
        ? ['flags: known after apply, because apply runs the command that generates their files.']
        : []),
    ],
  }
}
