import type { AttachmentRule, ChallengeFile, FlagRule } from '@capstan/challenge-files/format/challenge'
import { definitionOf, plainDefinition } from '@capstan/challenge-files/format/container'
import { localTargetOf, withTargets } from '@capstan/challenge-files/markdown-targets'
import type { Finding, Outcome } from '@capstan/challenge-files/report'
import { type FileTree, folderOf, nameOf, plainName, resolvePath } from '@capstan/challenge-files/tree'
import { fileAddress } from '@capstan/contract/asset-address'
import type { Difficulty } from '@capstan/contract/challenge-labels'
import type { ChallengeCategory, ChallengeType, FlagKind } from '@capstan/contract/challenges'
import type { StoredContainer } from '@capstan/contract/container-definition'
import { tidyFileName } from '@capstan/contract/file-name'
import { refuseTemplate } from '@capstan/contract/flag-templates/check'
import { Defaults, InputLimits, Limits } from '@capstan/contract/limits'
import { type ChallengeReach, canBeGuarded } from '@capstan/contract/reach'
import { tidyTags } from '@capstan/contract/tags'
import { refusePattern } from '../flags/pattern.ts'

/** A file in an archive under the name that it gets. */
export interface PlannedFile {
  readonly path: string
  readonly name: string
  /** SHA-256 that it must have; absent: any. */
  readonly hash?: string
}

export type PlannedAttachment =
  | { readonly kind: 'file'; readonly file: PlannedFile }
  /** Several files, packed into one archive of this name. */
  | { readonly kind: 'archive'; readonly name: string; readonly files: readonly PlannedFile[] }
  | { readonly kind: 'url'; readonly url: string }

export interface PlannedFlag {
  readonly text: string
  /** Absent: answers are compared letter by letter. */
  readonly kind?: Exclude<FlagKind, 'Exact'>
  readonly attachment?: PlannedAttachment
}

/** A picture of the description, or a file that it links to, as the text names it. */
export interface PlannedImage {
  readonly reference: string
  readonly file: PlannedFile
}

/** A challenge as the platform will store it; its files are still in the archive. */
export interface PlannedChallenge {
  readonly title: string
  readonly content: string
  readonly category: ChallengeCategory
  readonly type: ChallengeType
  readonly hints: readonly string[]
  readonly flagTemplate: string | null
  readonly flags: readonly PlannedFlag[]
  readonly fileName?: string
  readonly attachment?: PlannedAttachment
  readonly images: readonly PlannedImage[]
  readonly originalScore: number
  readonly minScoreRate: number
  readonly difficulty: number
  readonly tags: readonly string[]
  readonly level: Difficulty | null
  readonly container?: {
    readonly image: string
    readonly port: number
    readonly reach: ChallengeReach
    /** Without secrets: no file holds them. */
    readonly definition: StoredContainer
    readonly memoryMb: number
    readonly cpuTenths: number
    readonly storageMb: number
  }
  readonly captureTraffic?: boolean
}

export interface Planned {
  readonly plan: PlannedChallenge
  readonly findings: readonly Finding[]
}

/** The text as long as it will be, when its pictures have addresses of the platform. */
const withAddresses = (text: string, images: readonly PlannedImage[]): string => {
  const addresses = new Map(
    images.map(({ reference, file }) => [reference, fileAddress('0'.repeat(64), tidyFileName(file.name))] as const),
  )
  return withTargets(text, (reference) => addresses.get(reference))
}

const isWebAddress = (text: string): boolean => URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)

const flagFileMaxBytes = 4_096

type ContainerPort = NonNullable<ChallengeFile['container']>['ports'][number]

const reachOf = (port: ContainerPort | undefined): ChallengeReach => ({
  speaks: port?.speaks ?? 'tcp',
  isRaw: port?.raw ?? false,
  hasOwnCertificate: port?.ownCertificate ?? false,
  isGuarded: port?.guarded ?? false,
})

const guardedIfPossible = (reach: ChallengeReach): ChallengeReach => ({
  ...reach,
  isGuarded: reach.isGuarded === true && canBeGuarded(reach),
})

type Note = (field: string, outcome: Outcome, why: string, advice?: string) => void

/** Of flags that are given to one team each. */
const exactFlags = (flags: readonly PlannedFlag[], note: Note): PlannedFlag[] => {
  if (flags.some(({ kind }) => kind === 'Pattern'))
    note('flags', 'left-out', 'Each flag has a file of its own: a pattern has none.', 'List the flags that are right.')
  if (flags.some(({ kind }) => kind === 'Caseless'))
    note('flags', 'converted', 'Small and large letters differ in flags that each go to one team.')
  return flags.filter(({ kind }) => kind !== 'Pattern').map(({ kind: _, ...flag }) => flag)
}

/** So many flags as there may be that are not compared letter by letter. */
const withFewRules = (flags: readonly PlannedFlag[], note: Note): readonly PlannedFlag[] => {
  const rules = flags.filter(({ kind }) => kind !== undefined)
  if (rules.length <= Limits.flagRulesMax) return flags
  note('flags', 'left-out', `No more than ${Limits.flagRulesMax} flags are patterns, or without upper and lower case.`)
  const kept = new Set(rules.slice(0, Limits.flagRulesMax))
  return flags.filter((flag) => flag.kind === undefined || kept.has(flag))
}

/** What is not taken over of a container as it stands. */
const noteContainer = (container: NonNullable<ChallengeFile['container']>, note: Note): void => {
  const { image, build, ports, environment } = container
  const [main] = ports
  if (image === undefined && build !== undefined)
    note('container.build', 'converted', `The image is built from \`${build.context}\`.`, 'Build it, and name it in the editor.')
  for (const [index, { port: _, ...ways }] of ports.entries())
    if (index > 0 && Object.values(ways).some((way) => way !== false && way !== 'tcp'))
      note(`container.ports[${index}]`, 'converted', 'Players are led to the first port; this one is open to them as TCP.')
  for (const [name, value] of Object.entries(environment ?? {}))
    if (typeof value !== 'string')
      note(`container.environment.${name}`, 'left-out', 'What it holds is secret, and in no file.', 'Set it in the editor.')
  if (main?.guarded === true && !canBeGuarded(reachOf(main)))
    note('container.ports[0].guarded', 'left-out', 'Strangers are kept out of HTTP alone that the gateway reads.')
}

/**
 * What the platform stores of a challenge that a file describes, and what it does not.
 *
 * @param file where the challenge is described; what it names lies beside
 */
export const planChallenge = (tree: FileTree, file: string, challenge: ChallengeFile): Planned => {
  const folder = folderOf(file)
  const known = new Set(tree.paths)
  const findings: Finding[] = []
  const note = (field: string, outcome: Outcome, why: string, advice?: string): void =>
    void findings.push({ file, line: 1, field, outcome, why, ...(advice === undefined ? {} : { advice }) })
  const beside = (path: string): string | undefined => resolvePath(folder, path)

  const read = (field: string, path: string, maxBytes: number): string | undefined => {
    const whole = beside(path)
    if (whole === undefined || !known.has(whole)) {
      note(field, 'left-out', `\`${path}\` is not in the archive.`)
      return undefined
    }
    try {
      return tree.readText(whole, maxBytes)
    } catch (cause) {
      note(field, 'left-out', cause instanceof Error ? cause.message : String(cause))
      return undefined
    }
  }

  const flagOf = (rule: FlagRule, index: number): PlannedFlag[] => {
    const field = `flags[${index}]`
    if ('template' in rule) return []
    if ('pattern' in rule) {
      const text = rule.ignoreCase === true ? `(?i)${rule.pattern}` : rule.pattern
      const refusal = refusePattern(text)
      if (refusal === undefined) return [{ text, kind: 'Pattern' }]
      note(field, 'left-out', `It is no pattern of RE2: ${refusal}.`, 'Write it anew in the editor, and try it there.')
      return []
    }
    if ('text' in rule) {
      const attachment = rule.attachment !== undefined ? attachmentOf([rule.attachment], field) : undefined
      return [
        {
          text: rule.text,
          ...(rule.ignoreCase === true ? { kind: 'Caseless' as const } : {}),
          ...(attachment === undefined ? {} : { attachment }),
        },
      ]
    }
    if ('environment' in rule || 'eachTeam' in rule) {
      note(field, 'left-out', 'Only the command `capstan apply` can make it: nothing is run here.', 'Add the flag in the editor.')
      return []
    }
    const text = read(field, rule.file, flagFileMaxBytes)?.split('\n', 1)[0]?.trim()
    if (text === undefined) return []
    if (text !== '' && [...text].length <= Limits.flagMaxLength) return [{ text }]
    note(field, 'left-out', `The first line of \`${rule.file}\` is no flag of 1 to ${Limits.flagMaxLength} characters.`)
    return []
  }

  /** Refuses the challenge if a file that it hands out, or one of a folder, is not read. */
  const refuseLeftOut = (field: string, whole: string): boolean => {
    const [odd] = [...(tree.leftOut ?? [])].filter(([path]) => path === whole || whole === '' || path.startsWith(`${whole}/`))
    if (odd === undefined) return false
    note(field, 'refused', `Players would get \`${plainName(odd[0])}\`, which ${odd[1]}.`, 'Rename or replace it.')
    return true
  }

  const links: string[] = []
  const attachmentOf = (rules: readonly AttachmentRule[], field: string): PlannedAttachment | undefined => {
    const files = rules.flatMap((rule): PlannedFile[] => {
      if ('url' in rule) return []
      if ('make' in rule) {
        note(
          field,
          'left-out',
          'Only the command `capstan apply` can make it: nothing is run here.',
          'Add it in the editor once it is made.',
        )
        return []
      }
      const whole = beside(rule.file)
      if (whole === undefined) return []
      const isOdd = refuseLeftOut(field, whole)
      if (isOdd) return []
      if (known.has(whole)) return [{ path: whole, name: rule.as ?? nameOf(whole) }]
      const inside = whole === '' ? '' : `${whole}/`
      const below = tree.paths.filter((path) => path.startsWith(inside) && path !== file)
      if (below.length === 0)
        note(field, 'left-out', `\`${rule.file}\` is not in the archive.`, 'Add it in the editor once it is built.')
      return below.map((path) => ({ path, name: path.slice(inside.length) }))
    })
    const urls = rules.flatMap((rule) => ('url' in rule ? [rule.url] : []))
    for (const url of urls) if (!isWebAddress(url)) note(field, 'left-out', `\`${url.slice(0, 200)}\` is no address of the web.`)
    const open = urls.filter(isWebAddress)
    const [only] = files
    if (only === undefined && open.length === 1 && open[0] !== undefined) return { kind: 'url', url: open[0] }
    links.push(...open)
    if (only === undefined) return undefined
    return files.length === 1 ? { kind: 'file', file: only } : { kind: 'archive', name: `${challenge.name}.zip`, files }
  }

  const { container, score } = challenge
  const template = challenge.flags.find((rule) => 'template' in rule)
  const given = challenge.flags.flatMap(flagOf)
  const attachment = attachmentOf(challenge.attachments ?? [], 'attachments')
  const hasOwnFiles = container === undefined && given.some((flag) => flag.attachment !== undefined)
  const flags = hasOwnFiles ? exactFlags(given, note) : withFewRules(given, note)
  const isTemplated = container !== undefined && template !== undefined
  const type = hasOwnFiles
    ? 'DynamicAttachment'
    : container === undefined
      ? 'StaticAttachment'
      : isTemplated
        ? 'DynamicContainer'
        : 'StaticContainer'
  if (template !== undefined && !isTemplated)
    note('flags', 'left-out', 'A flag for each team needs a container that is given it.', 'List a flag, or add a container.')
  if (isTemplated && flags.length > 0) note('flags', 'left-out', 'Each team has its own flag: the others are never right.')
  if (isTemplated && refuseTemplate(template.template) !== undefined)
    note('flags', 'refused', 'The template of the flag leaves too few flags to choose from, or is too long when filled in.')
  if (!isTemplated && flags.length === 0)
    note('flags', 'converted', 'No flag can be taken over, so that nobody can solve it yet.', 'Add one before you enable it.')
  if (hasOwnFiles && attachment !== undefined)
    note('attachments', 'left-out', 'Each flag has a file of its own: no other is handed out.')

  const text =
    typeof challenge.description === 'string'
      ? challenge.description
      : (read('description', challenge.description.file, InputLimits.longTextMaxLength * 4) ?? '')
  const whole = [text.trimEnd(), ...links.map((url) => `<${url}>`)].join('\n\n')
  const images = new Map<string, PlannedImage>()
  withTargets(whole, (reference, isImage) => {
    const target = localTargetOf(reference, isImage, (named) => {
      const path = beside(named)
      return path !== undefined && known.has(path) ? path : undefined
    })
    const odd = isImage && !target ? tree.leftOut?.get(beside(reference) ?? '') : undefined
    if (odd !== undefined)
      note('description', 'left-out', `The image \`${plainName(reference)}\` ${odd}.`, 'Rename or replace it.')
    if (target) images.set(reference, { reference, file: { path: target.path, name: target.as ?? nameOf(target.path) } })
    return undefined
  })
  const length = [...withAddresses(whole, [...images.values()])].length
  if (length > InputLimits.longTextMaxLength) note('description', 'refused', 'The description is too long.')

  if (challenge.enabled === true) note('enabled', 'converted', 'It is imported disabled.', 'Enable it once it is tested.')
  for (const [index, hint] of (challenge.hints ?? []).entries())
    if (hint.cost !== undefined && hint.cost > 0) note(`hints[${index}].cost`, 'left-out', 'Hints cost nothing here.')
  if (challenge.authors !== undefined)
    note('authors', 'left-out', 'The platform names no authors.', 'Add them to the description.')

  if (container !== undefined) noteContainer(container, note)

  return {
    plan: {
      title: challenge.title,
      content: whole,
      category: challenge.category,
      type,
      hints: (challenge.hints ?? []).map((hint) => hint.text),
      flagTemplate: isTemplated ? template.template : null,
      flags: isTemplated ? [] : flags,
      ...(challenge.attachmentName === undefined ? {} : { fileName: challenge.attachmentName.trim() }),
      ...(attachment === undefined || hasOwnFiles ? {} : { attachment }),
      images: [...images.values()],
      originalScore: score?.points ?? Defaults.originalScore,
      minScoreRate: score?.minimumShare ?? Defaults.minScoreRate,
      difficulty: score?.difficulty ?? Defaults.difficulty,
      tags: tidyTags(challenge.tags ?? []),
      level: challenge.difficulty ?? null,
      ...(container === undefined
        ? {}
        : {
            container: {
              image: container.image ?? '',
              port: container.ports[0]?.port ?? Defaults.exposedPort,
              reach: guardedIfPossible(reachOf(container.ports[0])),
              definition: plainDefinition(
                definitionOf(container, () => null),
                container.ports[0]?.port ?? Defaults.exposedPort,
              ),
              memoryMb: container.memoryMb ?? Defaults.memoryMb,
              cpuTenths: container.cpu === undefined ? Defaults.cpuTenths : Math.round(container.cpu * 10),
              storageMb: container.storageMb ?? Defaults.storageMb,
            },
            captureTraffic: container.capture ?? false,
          }),
    },
    findings,
  }
}

const filesOfAttachment = (attachment: PlannedAttachment | undefined): readonly PlannedFile[] => {
  if (attachment === undefined || attachment.kind === 'url') return []
  return attachment.kind === 'file' ? [attachment.file] : attachment.files
}

/** Every file of an archive that a challenge takes. */
export const filesOf = ({ attachment, flags, images }: PlannedChallenge): PlannedFile[] => [
  ...filesOfAttachment(attachment),
  ...flags.flatMap((flag) => filesOfAttachment(flag.attachment)),
  ...images.map(({ file }) => file),
]
