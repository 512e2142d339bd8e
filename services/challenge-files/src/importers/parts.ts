import type { Difficulty } from '@capstan/contract/challenge-labels'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import { escapeFormulas } from '@capstan/contract/formula'
import { ContainerLimits, InputLimits, Limits } from '@capstan/contract/limits'
import { normalizeTags } from '@capstan/contract/tags'
import { difficulties } from '@capstan/contract/vocabulary'
import { refuseFlagPattern } from '../flag-pattern.ts'
import type { AttachmentRule, ChallengeFile, ContainerRule, FlagRule } from '../format/challenge.ts'
import { toText } from '../record.ts'
import { type FileTree, folderOf, hasFile, hasFolder, joinPath, nameOf, resolvePath, trimSlashes } from '../tree.ts'
import type { Fields } from './fields.ts'
import { nameFromTitle, parseCategory } from './names.ts'
import { limitCores, limitMemoryMb, parseQuantity } from './quantities.ts'

/** Readers for fields that occur in several import formats. */

/** Maximum number of ports of a container. */
export const maxPorts = ContainerLimits.maxFurtherPorts + 1

const maxAuthors = 32
const maxWildcards = 6
const notHereYet = 'The file is not in this folder.'
const buildFirst = 'Build or add it before you apply the challenge.'

/** Returns the first of several keys that has a value. The other keys remain unread. */
export function findFirstKeyWithValue(fields: Fields, keys: readonly string[]): string | undefined {
  return keys.find((key) => fields.keys.includes(key) && fields.take(key) !== undefined)
}

export function readFirstText(fields: Fields, ...keys: string[]): string | undefined {
  const key = findFirstKeyWithValue(fields, keys)
  return key === undefined ? undefined : fields.text(key)
}

/**
 * Converts a path relative to a descriptor into a path of this platform. Reports a path that leads outside of the import.
 * @returns undefined if the path was reported
 */
export function resolveSiblingPath(
  tree: FileTree,
  descriptor: string,
  fields: Fields,
  key: string,
  path: string,
): string | undefined {
  const base = folderOf(descriptor)
  const whole = resolvePath(base, path)
  // On Windows, tools accept backslashes, too.
  const plain = path.replaceAll('\\', '/')
  const slashed = whole === undefined ? resolvePath(base, plain) : undefined
  if (slashed !== undefined && (hasFile(tree, slashed) || hasFolder(tree, slashed)))
    return resolveSiblingPath(tree, descriptor, fields, key, plain)
  if (whole === undefined) {
    fields.note(key, 'left-out', `\`${path}\` is outside of the imported folder.`)
    return undefined
  }
  if (!hasFile(tree, whole) && !hasFolder(tree, whole)) fields.note(key, 'converted', `\`${path}\`: ${notHereYet}`, buildFirst)
  return path.replace(/^(?:\.\/)+/, '') || '.'
}

/**
 * Returns the files that match a pattern. In the pattern, `*` and `?` stand for characters within one name, and `**` stands for
 * any number of folders.
 */
function filesLike({ paths }: FileTree, pattern: string): string[] {
  // Matching a pattern with more wildcards could take very long.
  if ((pattern.match(/[*?]/g)?.length ?? 0) > maxWildcards) return []
  const expression = pattern
    .split(/(\*\*\/?|\*|\?)/)
    .map((part) =>
      part.startsWith('**')
        ? '(?:.*/)?'
        : part === '*'
          ? '[^/]*'
          : part === '?'
            ? '[^/]'
            : part.replaceAll(/[\\^$.|+()[\]{}]/g, '\\$&'),
    )
    .join('')
  const matches = new RegExp(`^${pattern.endsWith('**') ? expression.replace(/\(\?:\.\*\/\)\?$/, '.*') : expression}$`)
  return paths.filter((path) => matches.test(path))
}

/** Usual names of folders with the files for players. */
export const playerFolders: readonly string[] = ['dist', 'distfiles', 'handout', 'handouts', 'attachments', 'public'].flatMap(
  (name) => [name, name[0]?.toUpperCase() + name.slice(1)],
)

/** Returns the path of a file in the folder with files for players, because some formats list only the names of these files. */
function pathInPlayerFolder(tree: FileTree, base: string, path: string): string | undefined {
  return [...playerFolders, 'files', 'downloads']
    .map((folder) => joinPath(folder, tidyPath(path)))
    .find((each) => hasFile(tree, joinPath(base, each)) && resolvePath(base, each) === joinPath(base, each))
}

export function resolveAttachmentFile(
  tree: FileTree,
  descriptor: string,
  fields: Fields,
  key: string,
  path: string,
  as?: string,
): AttachmentRule[] {
  const base = folderOf(descriptor)
  const inside = base === '' ? '' : `${base}/`
  const whole = resolvePath(base, path)
  const isPattern = whole?.startsWith(inside) === true && /[*?]/.test(path) && !hasFile(tree, whole)
  const matching = whole === undefined || !isPattern ? [] : filesLike(tree, whole)
  if (matching.length > 0)
    return fields.limit(key, matching, InputLimits.maxFilesPerUpload).map((each) => ({ file: each.slice(inside.length) }))
  const packed =
    whole === undefined || hasFile(tree, whole) || hasFolder(tree, whole) ? undefined : pathInPlayerFolder(tree, base, path)
  if (packed !== undefined) fields.note(key, 'converted', `\`${path}\` is the file \`${packed}\`.`)
  const file = packed ?? resolveSiblingPath(tree, descriptor, fields, key, path)
  return file === undefined ? [] : [{ file, ...(as === undefined ? {} : { as }) }]
}

function tidyPath(path: string): string {
  return trimSlashes(path.replace(/^(?:\.\/)+/, ''))
}

/** Reads the list of excluded files from the field `exclude`. */
function readExcluded(fields: Fields) {
  const excluded = fields.texts('exclude').map((path) => tidyPath(path).replace(/\/\*{1,2}$/, ''))
  const used = new Set<string>()
  return {
    isEmpty: excluded.length === 0,
    hasPattern: excluded.some((each) => /[*?[]/.test(each)),
    holdsBack: (path: string): boolean => {
      const found = excluded.find((each) => path === each || path.startsWith(`${each}/`) || nameOf(path) === each)
      if (found !== undefined) used.add(found)
      return found !== undefined
    },
    rest: (): void => {
      const unused = excluded.filter((each) => !used.has(each))
      if (unused.length > 0) fields.note('exclude', 'left-out', `${unused.join(', ')}: no attachment has this name.`)
    },
  }
}

/**
 * Returns the listed files and folders, without the files in the list `exclude`. If a folder contains an excluded file, the other
 * files of the folder are returned instead. If `exclude` contains a pattern, all folders are dropped.
 */
export function readAttachmentFiles(tree: FileTree, descriptor: string, fields: Fields, key: string): AttachmentRule[] {
  const excluded = readExcluded(fields)
  const base = folderOf(descriptor)
  const found = fields.texts(key).flatMap((path) => {
    const whole = resolvePath(base, path)
    if (excluded.isEmpty || whole === undefined || !hasFolder(tree, whole))
      return excluded.holdsBack(tidyPath(path)) ? [] : [path]
    if (excluded.hasPattern) {
      fields.note(
        key,
        'left-out',
        `\`${path}\`: excluded files are given as a pattern, which is not supported.`,
        'Name each file that players may download.',
      )
      return []
    }
    const inside = whole === '' ? '' : `${whole}/`
    const own = whole === base ? '' : `${tidyPath(path)}/`
    return tree.paths
      .filter((each) => each.startsWith(inside))
      .map((each) => own + each.slice(inside.length))
      .filter((each) => !excluded.holdsBack(each))
  })
  excluded.rest()
  return fields
    .limit(key, found, InputLimits.maxFilesPerUpload)
    .flatMap((path) => resolveAttachmentFile(tree, descriptor, fields, key, trimSlashes(path)))
}

/** Returns the category. A word that is not one of our categories becomes a tag. */
export function readCategory(
  fields: Fields,
  key: string,
  word: string | undefined,
): { category: ChallengeCategory; tags: string[] } {
  const category = word === undefined ? undefined : parseCategory(word)
  if (category !== undefined) return { category, tags: [] }
  if (word === undefined || word.trim() === '') {
    fields.note(key, 'converted', 'The file names no category, so Misc is used.')
    return { category: 'Misc', tags: [] }
  }
  fields.note(key, 'converted', `\`${word}\` is not a category here, so it is imported as Misc with the tag \`${word}\`.`)
  return { category: 'Misc', tags: [word] }
}

export function readAuthors(fields: Fields, key: string): string[] {
  return fields.shortTexts(key, { count: maxAuthors, length: InputLimits.maxTitleLength })
}

/** Reason why CTFd topics do not become tags. */
export const topicsNotImportedReason =
  'Topics are only visible to organizers, but tags are visible to players. Add suitable topics to `tags`.'

const difficultyWords: Readonly<Record<string, Difficulty>> = {
  ...Object.fromEntries(difficulties.map((word) => [word, word])),
  ...{ baby: 'beginner', intro: 'beginner', introduction: 'beginner', trivial: 'beginner', warmup: 'beginner' },
  ...{ 'very easy': 'beginner', simple: 'easy' },
  ...{ intermediate: 'medium', moderate: 'medium', normal: 'medium' },
  ...{ advanced: 'hard', difficult: 'hard' },
  ...{ expert: 'insane', extreme: 'insane', impossible: 'insane', 'very hard': 'insane' },
}

function readDifficulty(fields: Fields): Difficulty | undefined {
  const given = fields.text('difficulty')?.trim()
  if (!given) return undefined
  const word = given.toLowerCase().replaceAll(/[-_]/g, ' ')
  const difficulty = Object.hasOwn(difficultyWords, word) ? difficultyWords[word] : undefined
  if (difficulty === undefined)
    fields.note(
      'difficulty',
      'left-out',
      `This difficulty is unknown. The choices are ${difficulties.join(', ')}.`,
      'Choose one.',
    )
  else if (difficulty !== word) fields.note('difficulty', 'converted', `The difficulty becomes \`${difficulty}\`.`)
  return difficulty
}

/**
 * Returns the `difficulty` and the tags of a challenge.
 * @param words the words of all fields that become tags
 */
export function readLabels(fields: Fields, words: readonly string[]): Pick<ChallengeFile, 'tags' | 'difficulty'> {
  const given = normalizeTags(words.map((word) => word.replaceAll(/\p{Cc}/gu, ' ')))
  const tags = normalizeTags(given.map((tag) => [...tag].slice(0, Limits.maxChallengeTagLength).join('')))
  const long = given.filter((tag) => [...tag].length > Limits.maxChallengeTagLength).length
  if (long > 0)
    fields.note('tags', 'converted', `Tags longer than ${Limits.maxChallengeTagLength} characters are cut (affected: ${long}).`)
  const over = tags.splice(Limits.maxChallengeTags)
  if (over.length > 0)
    fields.note('tags', 'left-out', `At most ${Limits.maxChallengeTags} tags are imported. Left out: ${over.join(', ')}.`)
  const difficulty = readDifficulty(fields)
  return { ...(tags.length === 0 ? {} : { tags }), ...(difficulty === undefined ? {} : { difficulty }) }
}

/** Reports that a challenge has no flag. Such a challenge is imported, but cannot be enabled. */
export function reportMissingFlag(fields: Fields, key: string): void {
  fields.note(
    key,
    'left-out',
    'The file has no flag, so the challenge cannot be solved yet.',
    'Add it to `flags` before you enable the challenge.',
  )
}

function toHintPrice(hint: Fields, key: string): { price?: number } {
  const cost = hint.number(key) ?? 0
  const points = Math.min(InputLimits.maxScore, Math.max(0, Math.round(cost)))
  if (points !== cost) hint.note(key, 'converted', `The hint costs ${points} points.`)
  return points === 0 ? {} : { price: points }
}

/** Reads hints. A hint is a text, or a mapping that contains a text and a price. */
export function readHints(fields: Fields, key: string): NonNullable<ChallengeFile['hints']> {
  const { maxHints, maxShortTextLength } = InputLimits
  const hints = fields.list(key).flatMap((entry, index) => {
    const plain = fields.elementText(key, index, entry)
    if (plain !== undefined)
      return plain.trim() === '' ? [] : [{ text: fields.shorten(escapeFormulas(plain), maxShortTextLength, key, index) }]
    const hint = fields.element(key, index, entry)
    const textKey = findFirstKeyWithValue(hint, ['content', 'text', 'hint', 'description']) ?? 'content'
    const text = hint.text(textKey)
    const title = hint.text('title')
    const price = toHintPrice(hint, findFirstKeyWithValue(hint, ['cost', 'price', 'penalty']) ?? 'cost')
    const isHidden = hint.text('state')?.trim().toLowerCase() === 'hidden' || hint.boolean('hidden') === true
    const order = 'Hints do not depend on each other.'
    hint.leaveOut({ requirements: order, key: order })
    hint.rest()
    if (isHidden) {
      hint.noteAll('left-out', 'The hint is hidden, and players see every hint here.', 'Add it when players may see it.')
      return []
    }
    if (text === undefined || text.trim() === '') {
      hint.note(textKey, 'left-out', 'The hint has no text.')
      return []
    }
    const whole = escapeFormulas(title === undefined ? text : `**${title}** ${text}`)
    return [{ text: hint.shorten(whole, maxShortTextLength, textKey), ...price }]
  })
  return fields.limit(key, hints, maxHints)
}

/** Returns the maximum number of flags that a team may submit. Returns an empty object if there is no maximum. */
export function readMaxAttempts(fields: Fields, key: string): Pick<ChallengeFile, 'attempts'> {
  const given = fields.number(key)
  if (given === undefined || given <= 0) return {}
  const limit = Math.min(Limits.maxSubmissionLimit, Math.ceil(given))
  if (limit !== given) fields.note(key, 'converted', `Teams have ${limit} attempts.`)
  return { attempts: { limit } }
}

type Requirements = Readonly<{ prerequisites?: unknown; anonymize?: unknown }>

/**
 * Reads the prerequisites, which a descriptor lists by their titles. With `anonymize`, CTFd shows a locked challenge without its
 * title. Otherwise, CTFd hides the challenge.
 * @returns undefined if there are no prerequisites
 */
export function readPrerequisites(fields: Fields, key: string): ChallengeFile['unlock'] {
  const given = fields.take(key)
  const { prerequisites: listed = given, anonymize }: Requirements = typeof given === 'object' && given !== null ? given : {}
  const prerequisites = typeof listed === 'string' ? (listed.trim() === '' ? [] : [listed]) : listed
  const titles = (Array.isArray(prerequisites) ? prerequisites : []).filter((title) => typeof title === 'string')
  if (given !== undefined && (!Array.isArray(prerequisites) || titles.length < prerequisites.length))
    fields.note(key, 'left-out', 'Prerequisites must be names of challenges.', 'Choose them in the editor.')
  if (titles.length === 0) return undefined
  if (anonymize === true)
    fields.note(
      key,
      'converted',
      'CTFd shows the locked challenge without its title. This platform hides it.',
      'If players may know its title, show it as locked.',
    )
  return { after: fields.limit(key, titles, Limits.maxPrerequisites).map(nameFromTitle), locked: 'Hidden' }
}

/**
 * Returns the time of the planned release. Returns an empty object if no release is planned. A time without an offset is in UTC.
 */
export function readReleaseTime(fields: Fields, key: string): Pick<ChallengeFile, 'release'> {
  const text = fields.text(key)?.trim()
  if (text === undefined || text === '') return {}
  const hasZone = /[zZ]$|[+-]\d{2}:?\d{2}$/.test(text)
  const isDay = /^\d{4}-\d{2}-\d{2}$/.test(text)
  const ms = Date.parse(hasZone || isDay ? text : `${text}Z`)
  if (ms >= 0 && ms <= InputLimits.maxInstantMs) return { release: new Date(ms).toISOString() }
  fields.note(key, 'left-out', 'This is not a time.', 'Set the release in the editor.')
  return {}
}

/**
 * Returns a list that contains the given pattern as a flag. If the pattern is empty or too long, reports it instead.
 * @returns an empty list if the pattern was reported
 */
export function readPatternFlag(fields: Fields, key: string, pattern: string, ignoreCase = false): FlagRule[] {
  if (pattern === '') {
    fields.note(key, 'left-out', 'The pattern is empty.')
    return []
  }
  if ([...pattern].length > Limits.maxFlagPatternLength) {
    fields.note(key, 'left-out', `The pattern is longer than ${Limits.maxFlagPatternLength} characters.`, 'Shorten it.')
    return []
  }
  const fault = refuseFlagPattern(ignoreCase ? `(?i)${pattern}` : pattern)
  if (fault !== undefined) {
    fields.note(key, 'left-out', `The pattern is not valid RE2: ${fault}.`, 'Write it without look-around and back-references.')
    return []
  }
  return [{ pattern, ...(ignoreCase ? { ignoreCase } : {}) }]
}

/** Returns the only text that a pattern matches. @returns undefined if the pattern matches several texts */
function onlyTextOf(pattern: string): string | undefined {
  const plain = pattern.replaceAll(/\\([^\w\s])/g, '')
  return /[\\^$.|?*+()[\]{}]/.test(plain) ? undefined : pattern.replaceAll(/\\([^\w\s])/g, '$1')
}

/**
 * Returns a flag from a field that contains a text in some formats and a pattern in other formats. A value is a pattern if it
 * starts with `^` and ends with `$`.
 * @returns an empty list if the flag was reported
 */
export function readFlagOrPattern(fields: Fields, key: string, text: string, ignoreCase = false): FlagRule[] {
  const whole = text.trim()
  const isAnchored = whole.length > 1 && whole.startsWith('^') && whole.endsWith('$')
  if (!isAnchored) return readTextFlag(fields, key, text, ignoreCase)
  const only = onlyTextOf(whole.slice(1, -1))
  const what = only === undefined ? 'it is a pattern' : 'it is the only text that this pattern matches'
  fields.note(key, 'converted', `The flag starts with \`^\` and ends with \`$\`, so ${what}.`, 'Test the flag.')
  return only === undefined ? readPatternFlag(fields, key, whole, ignoreCase) : readTextFlag(fields, key, only, ignoreCase)
}

/**
 * Returns a list that contains the given text as a flag. If no submission can match the flag, reports it instead.
 * @returns an empty list if the flag was reported
 */
export function readTextFlag(fields: Fields, key: string, text: string, ignoreCase = false): FlagRule[] {
  const flag = text.trim()
  if (flag === '') {
    fields.note(key, 'left-out', 'The flag is empty.')
    return []
  }
  if ([...flag].length > Limits.maxFlagLength) {
    fields.note(key, 'left-out', `The flag is longer than ${Limits.maxFlagLength} characters.`, 'Shorten it.')
    return []
  }
  return [{ text: flag, ...(ignoreCase ? { ignoreCase } : {}) }]
}

/** Reads the resources of a container in the format of Kubernetes: `limits`, or `requests` if a limit is absent. */
export function readResources(resources: Fields | undefined): Pick<ContainerRule, 'cpu' | 'memoryMb'> {
  if (resources === undefined) return {}
  const limits = resources.fields('limits')
  const requests = resources.fields('requests')
  const read = (key: 'cpu' | 'memory'): number | undefined => {
    const holder = limits?.keys.includes(key) ? limits : requests
    const value = holder?.take(key)
    if (holder === undefined || value === undefined) return undefined
    const quantity = parseQuantity(value)
    if (quantity !== undefined) return key === 'cpu' ? limitCores(holder, key, quantity) : limitMemoryMb(holder, key, quantity)
    holder.note(key, 'left-out', `\`${toText(value)}\` is not a quantity.`)
    return undefined
  }
  const cpu = read('cpu')
  const memoryMb = read('memory')
  if (limits !== undefined)
    requests?.leaveOut({ cpu: 'Instances always get their limit.', memory: 'Instances always get their limit.' })
  limits?.rest()
  requests?.rest()
  resources.rest()
  return {
    ...(cpu === undefined ? {} : { cpu }),
    ...(memoryMb === undefined ? {} : { memoryMb }),
  }
}

const onlyFaster = 'The machine that builds the image decides this.'

/** Reads `build` in the format of Docker Compose, which is a folder or a mapping. */
export function readBuildSettings(tree: FileTree, descriptor: string, fields: Fields): ContainerRule['build'] {
  const value = fields.take('build')
  if (value === undefined) return undefined
  if (typeof value === 'string') {
    const context = resolveSiblingPath(tree, descriptor, fields, 'build', value)
    return context === undefined ? undefined : { context: trimSlashes(context) }
  }
  const build = fields.fields('build')
  if (build === undefined) return undefined
  const context = resolveSiblingPath(tree, descriptor, build, 'context', build.text('context') ?? '.')
  const dockerfile = build.text('dockerfile')
  const target = build.text('target')
  const args = readVariables(build, 'args')
  build.leaveOut({
    dockerfile_inline: 'The text is written to a Dockerfile.',
    labels: 'The platform sets the labels.',
    ...{
      cache_from: onlyFaster,
      cache_to: onlyFaster,
      no_cache: onlyFaster,
      pull: onlyFaster,
      tags: 'The platform names the image.',
    },
  })
  build.rest()
  if (context === undefined) return undefined
  return {
    context: trimSlashes(context),
    ...(dockerfile === undefined ? {} : { dockerfile }),
    ...(target === undefined ? {} : { target }),
    ...(args === undefined ? {} : { args }),
  }
}

export function isVariableName(name: string): boolean {
  return name !== '__proto__' && /^[A-Za-z_][A-Za-z0-9_.-]*$/.test(name)
}

/** Reads environment variables from a mapping, or from a list of `NAME=value`. */
export function readVariables(holder: Fields, key: string): Record<string, string> | undefined {
  const value = holder.take(key)
  if (value === undefined) return undefined
  const variables: Record<string, string> = {}
  const set = (name: string, text: string | undefined): void => {
    if (!isVariableName(name)) holder.note(key, 'left-out', `\`${name}\` is not a valid variable name.`)
    else if (text === undefined)
      holder.note(
        key,
        'left-out',
        `\`${name}\` has no value, because variables of the shell are not available.`,
        'Set its value.',
      )
    else variables[name] = text
  }
  if (Array.isArray(value)) {
    for (const entry of holder.texts(key)) {
      const at = entry.indexOf('=')
      set(at === -1 ? entry : entry.slice(0, at), at === -1 ? undefined : entry.slice(at + 1))
    }
  } else {
    const fields = holder.fields(key)
    for (const name of fields?.keys ?? []) set(name, fields?.text(name))
  }
  return Object.keys(variables).length === 0 ? undefined : variables
}

function isUserNumber(value: number): boolean {
  return Number.isInteger(value) && value >= 0 && value <= ContainerLimits.maxUserId
}

function readUser(context: Fields, key: string): number | undefined {
  const user = context.number(key)
  if (user === undefined || isUserNumber(user)) return user
  context.note(key, 'left-out', `This must be a whole number from 0 to ${ContainerLimits.maxUserId}.`)
  return undefined
}

/** Reads the parts of a `securityContext` that instances support. */
export function readSecurityContext(context: Fields | undefined): Pick<ContainerRule, 'user' | 'group' | 'readOnlyRoot'> {
  if (context === undefined) return {}
  const user = readUser(context, 'runAsUser')
  const group = readUser(context, 'runAsGroup')
  const readOnlyRoot = context.boolean('readOnlyRootFilesystem')
  const noRight = 'Instances run without capabilities.'
  context.leaveOut({
    privileged: noRight,
    allowPrivilegeEscalation: noRight,
    capabilities: noRight,
    runAsNonRoot: '`container.security` sets whether root is allowed.',
    procMount: noRight,
    seccompProfile: 'Instances use the default profile of the runtime.',
    appArmorProfile: 'Instances use the default profile of the runtime.',
    fsGroup: 'All users in an instance can write to its writable folders.',
  })
  context.rest()
  return {
    ...(user === undefined ? {} : { user }),
    ...(group === undefined ? {} : { group }),
    ...(readOnlyRoot === undefined ? {} : { readOnlyRoot }),
  }
}

/** Reports the default port of a container whose descriptor contains no port. */
export function reportGuessedPort(fields: Fields, key: string, port: number): void {
  const why = `The file names no port, so ${port} is used.`
  fields.note(key, 'converted', why, 'Set `container.ports` to the port of the challenge.', { repair: 'port' })
}

/** Reports that players cannot reach a port, because instances offer no UDP. */
export function reportUdp(fields: Fields, key: string, protocol: string): void {
  if (/^udp/i.test(protocol)) fields.note(key, 'converted', 'Players reach only TCP ports.', 'Use TCP if players need the port.')
}

export function isPort(value: unknown): value is number {
  return typeof value === 'number' && Number.isInteger(value) && value > 0 && value < 65_536
}

/** Reads the readiness probe of a container. A probe that runs a program cannot be imported. */
export function readReadinessProbe(probe: Fields | undefined): Pick<ContainerRule, 'readiness'> {
  const http = probe?.fields('httpGet')
  const tcp = probe?.fields('tcpSocket')
  const path = http?.text('path')
  const asked = http ?? tcp
  const port = Number(asked?.take('port'))
  if (asked !== undefined && !isPort(port)) asked.note('port', 'left-out', 'Ports are identified by their number.')
  const ready = 'An instance is ready when its port accepts connections.'
  http?.leaveOut({
    scheme: 'The check uses no TLS.',
    httpHeaders: 'The check sends no headers.',
    host: 'The check always connects to the instance.',
  })
  const oneASecond = 'The check runs once per second.'
  probe?.leaveOut({
    exec: ready,
    grpc: ready,
    initialDelaySeconds: oneASecond,
    periodSeconds: oneASecond,
    timeoutSeconds: oneASecond,
    failureThreshold: oneASecond,
    successThreshold: oneASecond,
  })
  if (path !== undefined && !path.startsWith('/')) http?.note('path', 'left-out', 'A checked path starts with `/`.')
  for (const each of [http, tcp, probe]) each?.rest()
  const readiness = { ...(isPort(port) ? { port } : {}), ...(path?.startsWith('/') ? { path } : {}) }
  return Object.keys(readiness).length === 0 ? {} : { readiness }
}
