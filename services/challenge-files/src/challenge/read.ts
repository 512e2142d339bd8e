import { isStorableText } from '@capstan/contract/account-rules'
import { defaultAttachmentName, defaultContainer } from '@capstan/contract/challenge-parts'
import { hasContainer, hasSharedFlags } from '@capstan/contract/challenge-types'
import type { ChallengeType } from '@capstan/contract/challenges'
import {
  type ChallengeContainer,
  type ContainerDependency,
  type ContainerNetwork,
  withoutDefaultNetworks,
} from '@capstan/contract/containers'
import { sanitizeFileName } from '@capstan/contract/file-name'
import { refuseFlagTemplate } from '@capstan/contract/flag-templates/check'
import type { Hint } from '@capstan/contract/hints'
import { Defaults, InputLimits, Limits } from '@capstan/contract/limits'
import { type ChallengeReach, canInstanceBeGuarded } from '@capstan/contract/reach'
import { normalizeTags } from '@capstan/contract/tags'
import {
  type AttachmentRule,
  type ChallengeFile,
  type ContainerRule,
  containersOf,
  type FlagRule,
  type HintRule,
  type NamedContainerRule,
  type PlacedContainer,
} from '../format/challenge.ts'
import { createContainerDefinition, normalizeContainerDefinition } from '../format/container.ts'
import { findLocalTarget, replaceMarkdownTargets } from '../markdown-targets.ts'
import type { Finding, Outcome } from '../report.ts'
import { chooseFreeName } from '../safe-names.ts'
import { type FileTree, folderOf, hasFile, nameOf, printableName, resolvePath } from '../tree.ts'
import { type ChallengeOf, type FlagOf, resetUnusedSettings } from './challenge.ts'

export type Part = { readonly name: string } & (
  | Readonly<{
      path: string
      /** Required SHA-256 of the content. If absent, any content is accepted. */
      hash?: string
    }>
  | { readonly make: readonly string[] }
)

/** Download for players: an address, a file, or several files that are packed into an archive. */
export type GivenFile = { readonly url: string } | Readonly<{ name: string; parts: readonly Part[] }>

/** Image that a description shows, or file to which the description links. */
export type DescribedImage = Readonly<{
  reference: string
  path: string
  name: string
}>

export type EachTeamRule = Extract<FlagRule, { eachTeam: string }>

/** Challenge as described by its `capstan.yaml`. Its files are not read yet: they are still in the tree. */
export type DescribedChallenge = Readonly<{
  challenge: ChallengeOf<GivenFile>
  images: readonly DescribedImage[]
  name: string
  /** Names of the prerequisites. `challenge` does not contain the ids of the prerequisites yet. */
  after: readonly string[]
  /** Rule that generates a flag and a file for each team. */
  eachTeam?: EachTeamRule
  findings: readonly Finding[]
}>

/** Environment variables and built images on the machine where an author applies the file. */
export type AuthorEnvironment = Readonly<{
  environment: Readonly<Record<string, string | undefined>>
  /** Returns the image of a container, or undefined if it was not built from the current sources. */
  builtImage: (container: string) => string | undefined
}>

export const hexMarker = '[HEX]'

function isTemplate(flag: FlagRule): flag is Extract<FlagRule, { template: string }> {
  return 'template' in flag
}
export function isFlagRuleForEachTeam(flag: FlagRule): flag is EachTeamRule {
  return 'eachTeam' in flag
}
function hasOwnFile(flag: FlagRule): boolean {
  return isFlagRuleForEachTeam(flag) || ('text' in flag && flag.attachment !== undefined)
}

/** Returns the type that the file states, or the type that its flags and container imply. */
export function challengeTypeOf({
  type,
  flags,
  ...file
}: Pick<ChallengeFile, 'type' | 'flags' | 'container' | 'containers'>): ChallengeType {
  if (type !== undefined) return type
  if (containersOf(file).length === 0) return flags.some(hasOwnFile) ? 'DynamicAttachment' : 'StaticAttachment'
  return flags.length === 0 || flags.some(isTemplate) ? 'DynamicContainer' : 'StaticContainer'
}

/** Normalizes the settings that define how players connect to a challenge, so that equal settings compare as equal. */
export function normalizeChallengeReach({ speaks, isRaw, hasOwnCertificate, isGuarded }: ChallengeReach): ChallengeReach {
  return {
    speaks,
    isRaw,
    hasOwnCertificate,
    ...(isGuarded === true && { isGuarded }),
  }
}

function hintOf(rule: HintRule): Hint {
  return typeof rule === 'string' ? { text: rule, price: 0 } : { text: rule.text, price: rule.price ?? rule.cost ?? 0 }
}

function networkOf(rule: NonNullable<NamedContainerRule['networks']>[number]): ContainerNetwork {
  return typeof rule === 'string' ? { name: rule, aliases: [] } : rule
}

function dependencyOf(rule: NonNullable<NamedContainerRule['dependsOn']>[number]): ContainerDependency {
  return typeof rule === 'string' ? { name: rule, when: 'started' } : rule
}

function isWebAddress(text: string): boolean {
  return URL.canParse(text) && /^https?:$/.test(new URL(text).protocol)
}

const maxFlagFileBytes = 4_096

const nothingRuns = 'The import runs no commands, so only `capstan apply` can generate this.'

/**
 * Creates a reader for one challenge. If two settings contradict each other, an import by the platform drops one of them. The
 * command `capstan apply` refuses the file, because its author can correct the contradiction.
 */
function createReader(tree: FileTree, file: string, challenge: ChallengeFile, author: AuthorEnvironment | undefined) {
  const folder = folderOf(file)
  const findings: Finding[] = []
  const note = (field: string, outcome: Outcome, why: string, advice?: string): void =>
    void findings.push({ file, line: 1, field, outcome, why, ...(advice !== undefined && { advice }) })
  const mistake = (field: string, why: string, advice?: string): void =>
    note(field, author === undefined ? 'left-out' : 'refused', why, advice)
  const type = challengeTypeOf(challenge)

  const readText = (field: string, path: string, maxBytes: number): string | undefined => {
    const whole = resolvePath(folder, path)
    if (whole === undefined || !hasFile(tree, whole)) {
      mistake(field, `\`${path}\` is not in the archive.`)
      return undefined
    }
    try {
      const text = tree.readText(whole, maxBytes)
      if (isStorableText(text)) return text
      mistake(field, `\`${path}\` contains a NUL character, which cannot be stored.`)
      return undefined
    } catch (cause) {
      mistake(field, cause instanceof Error ? cause.message : String(cause))
      return undefined
    }
  }

  /** Refuses the challenge if an attachment, or a file in an attached folder, cannot be read. */
  const refuseLeftOut = (field: string, whole: string): boolean => {
    const [odd] = [...(tree.leftOut ?? [])].filter(([path]) => path === whole || whole === '' || path.startsWith(`${whole}/`))
    if (odd === undefined) return false
    note(field, 'refused', `Players would get \`${printableName(odd[0])}\`, which ${odd[1]}.`, 'Rename or replace it.')
    return true
  }

  const partsOf = (rule: AttachmentRule, field: string): Part[] => {
    if ('url' in rule) return []
    if ('make' in rule) {
      if (author !== undefined) return [{ name: rule.as, make: rule.make }]
      note(field, 'left-out', nothingRuns, 'Create it, then add it in the editor.')
      return []
    }
    const whole = resolvePath(folder, rule.file)
    if (whole === undefined || refuseLeftOut(field, whole)) return []
    if (hasFile(tree, whole)) return [{ path: whole, name: rule.as ?? nameOf(whole) }]
    const inside = whole === '' ? '' : `${whole}/`
    const below = tree.paths.filter((path) => path.startsWith(inside) && path !== file)
    if (below.length === 0) mistake(field, `\`${rule.file}\` is not in the archive.`, 'Build it, then add it in the editor.')
    return below.map((path) => ({ path, name: path.slice(inside.length) }))
  }

  const instantOf = (field: string, text: string | undefined): number | null => {
    if (text === undefined) return null
    const ms = Date.parse(text)
    if (ms >= 0 && ms <= InputLimits.maxInstantMs) return ms
    mistake(field, 'The time is before 1970 or after 9999.')
    return null
  }

  const prerequisitesOf = (): string[] => {
    const names = [...new Set(challenge.unlock?.after)]
    if (names.includes(challenge.name)) mistake('unlock.after', 'A challenge cannot be its own prerequisite.')
    return names.filter((name) => name !== challenge.name)
  }

  const unlockOf = () => {
    const { unlock } = challenge
    if (unlock === undefined) return null
    return { after: [], count: unlock.count ?? null, points: unlock.points ?? null, locked: unlock.locked ?? 'Shown' }
  }

  /**
   * Addresses of attachments that are moved to the description. The platform accepts either one address or files as attachments.
   */
  const links: string[] = []

  const givenOf = (rules: readonly AttachmentRule[], field: string): GivenFile | null => {
    const all = rules.flatMap((rule) => partsOf(rule, field))
    if (new Set(all.map(({ name }) => name)).size < all.length)
      mistake(field, 'Two attachments have the same name. Rename one with `as`.')
    const urls = rules.flatMap((rule) => ('url' in rule ? [rule.url] : []))
    for (const url of urls)
      if (!isWebAddress(url)) mistake(field, `\`${url.slice(0, 200)}\` does not start with http:// or https://.`)
    const open = urls.filter(isWebAddress)
    const [only] = all
    if (only === undefined && open.length === 1 && open[0] !== undefined) return { url: open[0] }
    if (open.length > 0 && author !== undefined) mistake(field, 'Attachments must be either one address or files.')
    links.push(...open)
    if (only === undefined) return null
    if (all.length === 1) return { name: sanitizeFileName(only.name), parts: all }
    const taken = new Set<string>()
    return { name: `${challenge.name}.zip`, parts: all.map((part) => ({ ...part, name: chooseFreeName(part.name, taken) })) }
  }

  const flagOf = (rule: FlagRule, index: number): FlagOf<GivenFile>[] => {
    const field = `flags[${index}]`
    if ('template' in rule) return []
    const worth = 'points' in rule && rule.points !== undefined ? { points: rule.points } : {}
    if ('pattern' in rule) {
      const flag = rule.ignoreCase === true ? `(?i)${rule.pattern}` : rule.pattern
      if ([...flag].length <= Limits.maxFlagPatternLength) return [{ flag, file: null, kind: 'Pattern', ...worth }]
      mistake(field, `A pattern has at most ${Limits.maxFlagPatternLength} characters, including \`(?i)\`.`)
      return []
    }
    if ('text' in rule) {
      const own = rule.attachment === undefined ? null : givenOf([rule.attachment], field)
      return [{ flag: rule.text.trim(), file: own, ...(rule.ignoreCase === true && { kind: 'Caseless' as const }), ...worth }]
    }
    if ('environment' in rule) {
      const flag = author?.environment[rule.environment]?.trim()
      if (flag) return [{ flag, file: null, ...worth }]
      if (author === undefined) note(field, 'left-out', nothingRuns, 'Add the flag in the editor.')
      else mistake(field, `The environment variable ${rule.environment} is not set. It must contain a flag.`)
      return []
    }
    if ('eachTeam' in rule) {
      if (author === undefined) note(field, 'left-out', nothingRuns, 'Add the flag in the editor.')
      if (rule.eachTeam.split(hexMarker).length !== 2) mistake(field, '`eachTeam` must contain `[HEX]` once.')
      return []
    }
    const flag = readText(field, rule.file, maxFlagFileBytes)?.split('\n', 1)[0]?.trim()
    if (flag === undefined) return []
    if (flag !== '' && [...flag].length <= Limits.maxFlagLength) return [{ flag, file: null, ...worth }]
    mistake(field, `The first line of \`${rule.file}\` is not a flag of 1 to ${Limits.maxFlagLength} characters.`)
    return []
  }

  /**
   * Returns the flags of a challenge in which each team has a separate flag and file. The platform compares such flags exactly.
   * Patterns are therefore refused, and flags that ignore case are converted.
   */
  const exactFlags = (flags: readonly FlagOf<GivenFile>[]): FlagOf<GivenFile>[] => {
    if (flags.some(({ kind }) => kind === 'Pattern'))
      mistake('flags', 'Each flag needs its own file, which a pattern cannot have.', 'List the correct flags.')
    if (flags.some(({ points }) => points !== undefined))
      mistake('flags', 'Each team has its own flag here, so a flag cannot have points.', 'Set the points in `score`.')
    if (flags.some(({ kind }) => kind === 'Caseless'))
      note('flags', 'converted', 'Flags of a single team are always case-sensitive.')
    return flags.filter(({ kind }) => kind !== 'Pattern').map(({ kind: _, ...flag }) => flag)
  }

  const withFewRules = (flags: readonly FlagOf<GivenFile>[]): FlagOf<GivenFile>[] => {
    const rules = flags.filter(({ kind }) => kind !== undefined)
    if (rules.length <= Limits.maxFlagRules) return [...flags]
    mistake('flags', `No more than ${Limits.maxFlagRules} flags can be patterns or case-insensitive.`)
    const chosen = new Set(rules.slice(0, Limits.maxFlagRules))
    return flags.filter((flag) => flag.kind === undefined || chosen.has(flag))
  }

  const flagsOf = (): { readonly flags: FlagOf<GivenFile>[]; readonly template: string } => {
    const given = challenge.flags.flatMap(flagOf)
    const templates = challenge.flags.filter(isTemplate)
    const template = templates[0]?.template.trim() ?? ''
    if (challenge.flags.filter(isFlagRuleForEachTeam).length > 1)
      mistake('flags', 'Only one rule can create the flags of all teams.')
    if (type === 'DynamicContainer') {
      if (templates.length > 1 || templates.length < challenge.flags.length)
        mistake('flags', 'Each team gets its own flag here, so `flags` must contain one template and nothing else.')
      if (refuseFlagTemplate(template) !== undefined)
        note('flags', 'refused', 'The flag template is too easy to guess, or its flags are too long.')
      return { flags: [], template }
    }
    if (templates.length > 0)
      mistake('flags', 'A flag template needs a container that receives the flag.', 'List a flag, or add a container.')
    if (author !== undefined && type !== 'DynamicAttachment' && challenge.flags.some(hasOwnFile))
      mistake('flags', 'If one flag has its own file, every flag needs one.')
    const flags = hasSharedFlags(type) ? withFewRules(given) : exactFlags(given)
    if (flags.length === 0 && author === undefined)
      note(
        'flags',
        'converted',
        'No flag can be imported, so the challenge cannot be solved yet.',
        'Add one before you enable it.',
      )
    return { flags, template: '' }
  }

  const reachOf = (place: string, port: ContainerRule['ports'][number] | undefined): ChallengeReach => {
    const reach = { speaks: port?.speaks ?? 'tcp', isRaw: port?.raw ?? false, hasOwnCertificate: port?.ownCertificate ?? false }
    if (port?.guarded !== true) return reach
    if (canInstanceBeGuarded(reach)) return { ...reach, isGuarded: true }
    mistake(`${place}.ports[0].guarded`, '`guarded` needs `speaks: http` without `raw` and `ownCertificate`.')
    return reach
  }

  const imageOf = ({ name, image, build, place }: PlacedContainer): string => {
    const given = image ?? author?.builtImage(name)
    if (given !== undefined) return given.trim()
    if (author !== undefined)
      mistake(`${place}.build`, 'The image is not built yet, or its files changed since. Run `capstan build`.')
    else
      note(
        `${place}.build`,
        'converted',
        `The image is built from \`${build?.context}\`.`,
        'Build it, then set its name in the editor.',
      )
    return ''
  }

  /** @param isEntry true if players connect to the first port of the container */
  const containerOf = (container: PlacedContainer, isEntry: boolean): ChallengeContainer => {
    const { place, ports = [] } = container
    for (const [index, { speaks, raw, ownCertificate, guarded, label }] of ports.entries())
      if ((index > 0 || !isEntry) && (guarded || (speaks === undefined && (raw || ownCertificate || label !== undefined))))
        note(
          `${place}.ports[${index}]`,
          'left-out',
          'An additional port must state a protocol, and cannot require an access link.',
        )
    const { environment } = author ?? {}
    if (environment === undefined)
      for (const [name, value] of Object.entries(container.environment ?? {}))
        if (typeof value !== 'string')
          note(`${place}.environment.${name}`, 'left-out', 'The value is secret and not in the file.', 'Set it in the editor.')
    if (!isEntry && container.capture)
      mistake(`${place}.capture`, 'This setting applies to the whole instance. Set it in the first container.')
    const [main] = ports
    const port = isEntry ? (main?.port ?? defaultContainer.port) : null
    const definition = createContainerDefinition({ ...container, ports }, isEntry, (variable) => environment?.[variable] || null)
    const secrets = definition.secrets?.map(({ name, value }) => ({ name, ...(value != null && { value }) }))
    return withoutDefaultNetworks({
      name: container.name,
      image: imageOf(container),
      port,
      reach: isEntry ? reachOf(place, main) : defaultContainer.reach,
      cpuTenths: container.cpu === undefined ? defaultContainer.cpuTenths : Math.round(container.cpu * 10),
      memoryMb: container.memoryMb ?? defaultContainer.memoryMb,
      storageMb: container.storageMb ?? defaultContainer.storageMb,
      capture: isEntry && (container.capture ?? false),
      definition: { ...normalizeContainerDefinition(definition, port), ...(environment && secrets && { secrets }) },
      ...(container.networks && { networks: container.networks.map(networkOf) }),
      ...(container.dependsOn && { dependsOn: container.dependsOn.map(dependencyOf) }),
      ...(container.receivesFlag !== undefined && { receivesFlag: container.receivesFlag }),
    })
  }

  const listOfContainers = (): ChallengeContainer[] => {
    const given = hasContainer(type) ? containersOf(challenge) : []
    return given.length === 0 ? [defaultContainer] : given.map((container, index) => containerOf(container, index === 0))
  }

  const descriptionOf = () => {
    const { description } = challenge
    const home = typeof description === 'string' ? folder : folderOf(resolvePath(folder, description.file) ?? file)
    const text =
      typeof description === 'string'
        ? description
        : (readText('description', description.file, InputLimits.maxLongTextLength * 4) ?? '')
    const plain = text.replaceAll('\r\n', '\n')
    const whole = links.length === 0 ? plain : [plain.trimEnd(), ...links.map((url) => `<${url}>`)].join('\n\n')
    const images = new Map<string, DescribedImage>()
    replaceMarkdownTargets(whole, (reference, isImage) => {
      const target = findLocalTarget(reference, isImage, (named) => {
        const path = resolvePath(home, named)
        return path !== undefined && hasFile(tree, path) ? path : undefined
      })
      const odd = isImage && !target ? tree.leftOut?.get(resolvePath(home, reference) ?? '') : undefined
      if (odd !== undefined)
        note('description', 'left-out', `The image \`${printableName(reference)}\` ${odd}.`, 'Rename or replace it.')
      if (target)
        images.set(reference, { reference, path: target.path, name: sanitizeFileName(target.as ?? nameOf(target.path)) })
      return undefined
    })
    return { description: whole, images: [...images.values()] }
  }

  const noteUnstored = (): void => {
    if (challenge.authors !== undefined && challenge.authors.length > 0)
      note('authors', 'left-out', 'The platform does not show authors.', 'Add them to the description.')
  }

  return (): DescribedChallenge => {
    const { flags, template } = flagsOf()
    const eachTeam = challenge.flags.find(isFlagRuleForEachTeam)
    const attachment = givenOf(challenge.attachments ?? [], 'attachments')
    if (type === 'DynamicAttachment' && attachment !== null)
      mistake('attachments', 'Each flag has its own file here, so `attachments` must be empty.')
    const { description, images } = descriptionOf()
    noteUnstored()
    return {
      challenge: resetUnusedSettings({
        title: challenge.title.trim(),
        category: challenge.category,
        type,
        tags: normalizeTags(challenge.tags ?? []),
        difficulty: challenge.difficulty ?? null,
        enabled: challenge.enabled ?? false,
        description,
        points: challenge.score?.points ?? Defaults.originalScore,
        minimumShare: challenge.score?.minimumShare ?? Defaults.minScoreRate,
        decay: challenge.score?.difficulty ?? Defaults.difficulty,
        release: instantOf('release', challenge.release),
        deadline: instantOf('deadline', challenge.deadline),
        submissionLimit: challenge.attempts?.limit ?? 0,
        cooldownSeconds: challenge.attempts?.cooldownSeconds ?? 0,
        curve: challenge.score?.curve ?? 'exponential',
        isValueFixed: challenge.score?.fixed ?? false,
        bloods: challenge.bloods ?? true,
        unlock: unlockOf(),
        hints: (challenge.hints ?? []).map(hintOf),
        flags,
        template,
        attachment,
        attachmentName: (eachTeam?.as ?? challenge.attachmentName ?? defaultAttachmentName).trim(),
        containers: listOfContainers(),
      }),
      images,
      name: challenge.name,
      after: prerequisitesOf(),
      ...(eachTeam && { eachTeam }),
      findings,
    }
  }
}

/**
 * Reads a challenge from its `capstan.yaml` and the files next to it.
 * @param file path of the `capstan.yaml`
 * @param author environment of the author who runs `capstan apply`. Undefined if the platform imports the file
 */
export function readDescribedChallenge(
  tree: FileTree,
  file: string,
  challenge: ChallengeFile,
  author?: AuthorEnvironment,
): DescribedChallenge {
  return createReader(tree, file, challenge, author)()
}
