import { type FlagOf, trimFlag, trimTexts } from '@capstan/challenge-files/challenge/challenge'
import { findChallengeFaults, findFlagFault, findFlagRuleFaults, limitFlagRules } from '@capstan/challenge-files/challenge/faults'
import type { DescribedChallenge } from '@capstan/challenge-files/challenge/read'
import type { GivenFile } from '@capstan/challenge-files/challenge/read-files'
import { findSchemaFaults } from '@capstan/challenge-files/format/validate'
import {
  type PackageAttachment,
  PackageChallenge,
  type PackageFlag,
  PackageGame,
  PackageManifest,
} from '@capstan/challenge-files/package/package'
import type { Finding } from '@capstan/challenge-files/report'
import { type FileTree, nameOf } from '@capstan/challenge-files/tree'
import { maxDescriptorBytes } from '@capstan/challenge-files/yaml'
import { defaultAttachmentName, defaultContainer, isDeadlineBeforeRelease } from '@capstan/contract/challenge-parts'
import { hasContainer, hasFlagList, hasSharedFlags } from '@capstan/contract/challenge-types'
import type { ChallengeType, FlagKind } from '@capstan/contract/challenges'
import { type ChallengeContainer, withoutDefaultNetworks } from '@capstan/contract/containers'
import { sanitizeFileName } from '@capstan/contract/file-name'
import { InputLimits, ScoreDefaults } from '@capstan/contract/limits'
import { canInstanceBeGuarded } from '@capstan/contract/reach'
import { toContainerLimits } from '@capstan/contract/reference-limits'
import type { TSchema } from 'typebox'
import type { ArchivedChallenge } from './archived-challenge.ts'

export type ReadPackage = Readonly<{
  game?: PackageGame
  problems: readonly Finding[]
  challenges: readonly ArchivedChallenge[]
}>

const manifestName = 'manifest.json'
const gameName = 'game.json'
const maxGameBytes = 4 * 1024 * 1024
const maxChallengeBytes = 16 * 1024 * 1024

export function findFilePathByHash(tree: FileTree, hash: string): string | undefined {
  const small = hash.toLowerCase()
  return tree.paths.find(
    (path) => path === `files/${small}` || path.startsWith(`files/${small}.`) || path.startsWith(`files/${small}/`),
  )
}

/** Lists the hashes of the pictures that the game itself uses, with the JSON members that refer to them. */
export function listPictureHashesOfGame({ posterHash, certificate }: PackageGame): { field: string; hash: string }[] {
  const fields = {
    posterHash,
    'certificate.backgroundHash': certificate?.backgroundHash,
    'certificate.logoHash': certificate?.logoHash,
    'certificate.signatureHash': certificate?.signatureHash,
  }
  return Object.entries(fields).flatMap(([field, hash]) => (hash == null ? [] : [{ field, hash }]))
}

function finding(file: string, field: string, outcome: Finding['outcome'], why: string, advice?: string): Finding {
  return {
    file,
    line: 1,
    field,
    outcome,
    why,
    ...(advice === undefined ? {} : { advice }),
  }
}

function readJson(tree: FileTree, file: string, schema: TSchema, maxBytes: number): { value?: unknown; findings: Finding[] } {
  try {
    const value: unknown = JSON.parse(tree.readText(file, maxBytes))
    const problems = findSchemaFaults(schema, value).map(({ path, message }) => finding(file, path, 'refused', message))
    return problems.length > 0 ? { value, findings: problems } : { value, findings: [] }
  } catch (cause) {
    return { findings: [finding(file, '', 'refused', cause instanceof Error ? cause.message : String(cause))] }
  }
}

/** Reads an ISO text or ms since 1970. @returns null for another value */
function readInstant(value: unknown): number | null {
  const ms = typeof value === 'string' ? Date.parse(value) : typeof value === 'number' ? value : Number.NaN
  return Number.isInteger(ms) && ms > 0 && ms <= InputLimits.maxInstantMs ? ms : null
}

/** Returns the release time and the deadline. The deadline is null if it is invalid or not after the release time. */
function timesOf({ limits }: PackageChallenge) {
  const times = { release: readInstant(limits?.release), deadline: readInstant(limits?.deadline) }
  return isDeadlineBeforeRelease(times) ? { ...times, deadline: null } : times
}

/** Returns findings about parts of a challenge that the platform does not support. */
function leftOut(file: string, challenge: PackageChallenge): Finding[] {
  const { limits, container, containers } = challenge
  const notes: Finding[] = []
  const leaveOut = (field: string, why: string) => void notes.push(finding(file, field, 'left-out', why))
  for (const field of ['deadline', 'release'] as const)
    if (limits?.[field] != null && readInstant(limits[field]) === null) leaveOut(`limits.${field}`, 'This is not a time.')
  if (readInstant(limits?.deadline) !== timesOf(challenge).deadline)
    leaveOut('limits.deadline', 'The deadline is not after the release.')
  for (const [index, { definition }] of (containers ?? []).entries())
    for (const { name } of definition.secrets ?? [])
      leaveOut(`containers[${index}].environment.${name}`, 'A package has no values of secret variables. Set it in the editor.')
  if (container?.networkMode != null && container.networkMode !== 'Open')
    leaveOut('container.networkMode', 'Outgoing connections are set with `container.egress`.')
  return notes
}

/** Challenge file of a package that is being read, and the findings so far. */
type PackageContext = Readonly<{
  tree: FileTree
  file: string
  findings: Finding[]
}>

function note({ file, findings }: PackageContext, field: string, outcome: Finding['outcome'], why: string): void {
  findings.push(finding(file, field, outcome, why))
}

function readAttachment(context: PackageContext, given: PackageAttachment | null | undefined, field: string): GivenFile | null {
  if (given == null || given.type === 'None') return null
  if (given.type === 'Remote') {
    const url = given.remoteUrl ?? ''
    if (/^https?:\/\//.test(url) && URL.canParse(url)) return { url }
    note(context, `${field}.remoteUrl`, 'left-out', 'The address does not start with http:// or https://.')
    return null
  }
  const path = given.hash == null ? undefined : findFilePathByHash(context.tree, given.hash)
  if (path === undefined || given.hash == null) {
    note(context, `${field}.hash`, 'refused', 'The package has no file with this hash.')
    return null
  }
  const name = sanitizeFileName(given.fileName ?? nameOf(path))
  return { name, parts: [{ name, path, hash: given.hash.toLowerCase() }] }
}

function readFlag(
  context: PackageContext,
  type: ChallengeType,
  { value, attachment, points, kind }: PackageFlag & Readonly<{ kind?: FlagKind | undefined }>,
  field: string,
): FlagOf<GivenFile>[] {
  const flag = trimFlag({
    flag: value,
    ...(kind !== undefined && { kind }),
    file: readAttachment(context, attachment, `${field}.attachment`),
    ...(points != null && hasSharedFlags(type) && { points }),
  })
  const fault = findFlagFault(flag)
  if (fault === undefined) return [flag]
  note(context, field, 'left-out', fault.code === 'flag.pattern' ? `The pattern is not valid RE2: ${fault.why}.` : fault.why)
  return []
}

function readFlags(context: PackageContext, { type, flags }: PackageChallenge): FlagOf<GivenFile>[] {
  if (!hasFlagList(type)) return []
  const texts = (flags?.static ?? []).flatMap((flag, index) => {
    const kind = flag.ignoresCase === true ? 'Caseless' : undefined
    return readFlag(context, type, { ...flag, kind }, `flags.static[${index}]`)
  })
  const patterns = (hasSharedFlags(type) ? (flags?.patterns ?? []) : []).flatMap((flag, index) =>
    readFlag(context, type, { ...flag, kind: 'Pattern' }, `flags.patterns[${index}]`),
  )
  const given = [...texts, ...patterns]
  for (const { why } of findFlagRuleFaults({ type, flags: given })) note(context, 'flags', 'left-out', why)
  return hasSharedFlags(type) ? limitFlagRules(given) : given.map(({ kind: _, ...flag }) => flag)
}

/**
 * Returns the containers without their secrets. The first container gets its image, port and limits from the member `container`,
 * because programs that support only one container edit only that member.
 */
function readContainers(
  context: PackageContext,
  { container, containers, flags }: PackageChallenge,
): [ChallengeContainer, ...ChallengeContainer[]] {
  const [first = defaultContainer, ...others] = (containers ?? []).map(({ definition: { secrets: _, ...definition }, ...each }) =>
    withoutDefaultNetworks({ ...each, definition }),
  )
  const { isGuarded, ...reach } = first.reach
  const canBeGuarded = canInstanceBeGuarded(reach)
  if (isGuarded === true && !canBeGuarded)
    note(context, 'containers[0].reach', 'left-out', 'Only HTTP that is not raw can be guarded.')
  const entry = {
    ...first,
    reach: isGuarded === true && canBeGuarded ? first.reach : reach,
    image: container?.image ?? '',
    port: container?.exposePort ?? defaultContainer.port,
    ...toContainerLimits(container ?? {}),
    capture: flags?.enableTrafficCapture === true ? first.capture || true : false,
  }
  return [entry, ...others]
}

function readPackagedChallenge(context: PackageContext, given: PackageChallenge): DescribedChallenge {
  const { type, flags, scoring, limits, container } = given
  const challenge = trimTexts<GivenFile>({
    title: given.title,
    category: given.category,
    type,
    tags: given.tags ?? [],
    difficulty: given.difficulty ?? null,
    enabled: given.enabled ?? false,
    description: given.content ?? '',
    points: scoring?.original ?? ScoreDefaults.points,
    minimumShare: scoring?.minRate ?? ScoreDefaults.minimumShare,
    decay: scoring?.difficulty ?? ScoreDefaults.decay,
    ...timesOf(given),
    submissionLimit: limits?.submission ?? 0,
    cooldownSeconds: limits?.cooldownSeconds ?? 0,
    curve: scoring?.curve ?? 'exponential',
    isValueFixed: scoring?.fixed ?? false,
    unlock: given.unlock ? { ...given.unlock, after: [] } : null,
    bloods: !(flags?.disableBloodBonus ?? false),
    hints: (given.hints ?? []).map((text, index) => ({ text, price: given.hintPrices?.[index] ?? 0 })),
    flags: readFlags(context, given),
    template: type === 'DynamicContainer' ? (flags?.template ?? '') : '',
    attachment: type === 'DynamicAttachment' ? null : readAttachment(context, given.attachment, 'attachment'),
    attachmentName: container?.fileName?.trim() || defaultAttachmentName,
    containers: hasContainer(type) ? readContainers(context, given) : [defaultContainer],
  })
  for (const { at, why } of findChallengeFaults({ ...challenge, enabled: false }))
    note(context, at === '/template' ? 'flags.template' : at.slice(1), 'refused', why)
  return {
    challenge,
    images: [],
    name: String(packageIdOf(context.file) ?? given.id),
    after: (given.unlock?.after ?? []).map(String),
  }
}

const challengeFile = /^challenges\/challenge-\d{1,10}\.json$/

/** Returns the id that a challenge has in its package. @returns undefined if the path is not a challenge file of a package */
export function packageIdOf(file: string): number | undefined {
  return challengeFile.test(file) ? Number(/\d+/.exec(file)?.[0]) : undefined
}

export function listChallengeFilesOfPackage(tree: FileTree): string[] {
  return tree.paths.filter((path) => challengeFile.test(path))
}

export function isGamePackage(tree: FileTree): boolean {
  return tree.paths.includes(manifestName) && tree.paths.includes(gameName)
}

/** Reads a package. A challenge whose file has faults is not described in the result. */
export function readGamePackage(tree: FileTree): ReadPackage {
  const manifest = readJson(tree, manifestName, PackageManifest, maxDescriptorBytes)
  const problems = [...manifest.findings]
  const version = (manifest.value as PackageManifest | undefined)?.version
  if (problems.length === 0 && version?.startsWith('1.') !== true)
    problems.push(
      finding(manifestName, 'version', 'refused', `Package version ${String(version).slice(0, 32)} is not supported.`),
    )
  const game = readJson(tree, gameName, PackageGame, maxGameBytes)
  problems.push(...game.findings)
  for (const { field, hash } of game.findings.length === 0 ? listPictureHashesOfGame(game.value as PackageGame) : [])
    if (findFilePathByHash(tree, hash) === undefined)
      problems.push(finding(gameName, field, 'refused', 'The package has no file with this hash.'))
  const challenges = listChallengeFilesOfPackage(tree).map((file): ArchivedChallenge => {
    const { value, findings } = readJson(tree, file, PackageChallenge, maxChallengeBytes)
    if (findings.length > 0) return { dialect: 'package', file, title: nameOf(file), findings }
    const challenge = value as PackageChallenge
    const notes = leftOut(file, challenge)
    const described = readPackagedChallenge({ tree, file, findings: notes }, challenge)
    const title = challenge.title.slice(0, InputLimits.maxTitleLength)
    return { dialect: 'package', file, title, described, findings: notes }
  })
  return { ...(game.findings.length === 0 ? { game: game.value as PackageGame } : {}), problems, challenges }
}
