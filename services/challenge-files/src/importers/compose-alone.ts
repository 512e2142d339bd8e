import type { ChallengeCategory } from '@capstan/contract/challenges'
import { InputLimits, Limits } from '@capstan/contract/limits'
import { readCompose } from '../compose/read.ts'
import { type AttachmentRule, type ChallengeFile, challengeApiVersion, type FlagRule } from '../format/challenge.ts'
import { findCapstanFiles } from '../format/find.ts'
import type { Finding } from '../report.ts'
import {
  type FileTree,
  findFirstFile,
  folderOf,
  hasFile,
  hasFolder,
  joinPath,
  nameOf,
  readTextIfPossible,
  relativeTo,
} from '../tree.ts'
import { findDescriptors } from './descriptor-names.ts'
import type { DialectName, ReadOne } from './dialect.ts'
import { Fields } from './fields.ts'
import { mapImportedFiles } from './known-names.ts'
import { nameFromTitle, parseCategory } from './names.ts'
import { composeOptionsOfService } from './nearby-service.ts'
import { foldersForPeople, isComposeFileName, maxDepth } from './service-files.ts'

/** Compose files that belong to no descriptor. Each file becomes a challenge without a text and without points. */

/** Usual names of the subfolders of a challenge. No challenge is named after such a folder. */
const insideChallenges =
  /^(?:app|backend|build|chall|challenge|compose|container|deploy|deployment|dist|docker|env|environment|files|handout|public|release|server|service|source|src)$/i

/** Names of compose files, by precedence. */
const composeNames = ['compose.yaml', 'compose.yml', 'docker-compose.yaml', 'docker-compose.yml']

function parentsOf(folder: string): string[] {
  const parts = folder.split('/')
  return parts.map((_, index) => parts.slice(0, parts.length - index).join('/')).filter((each) => each !== '')
}

/** Returns the folder of the challenge that a compose file describes. */
function challengeFolderOf(file: string): string {
  const folders = parentsOf(folderOf(file))
  return folders.find((folder) => !insideChallenges.test(nameOf(folder))) ?? folderOf(file)
}

/** True if a compose file is a copy for players or authors. */
function isCopy(path: string, others: readonly string[]): boolean {
  const parts = folderOf(path).split('/')
  const at = parts.findIndex((part) => foldersForPeople.test(part))
  if (at === -1) return false
  const inside = parts
    .slice(0, at)
    .map((part) => `${part}/`)
    .join('')
  return others.some(
    (other) =>
      other.startsWith(inside) &&
      !folderOf(other.slice(inside.length))
        .split('/')
        .some((part) => foldersForPeople.test(part)),
  )
}

/** Returns the compose files that belong to no descriptor. Copies for players or authors are not included. */
export function findStandaloneComposeFiles(tree: FileTree): string[] {
  const files = tree.paths.filter(isComposeFileName)
  if (files.length === 0) return []
  const { isAttachedPath } = findCapstanFiles(tree)
  const known = mapImportedFiles(tree)
  const described = new Set(findDescriptors(tree).map(folderOf))
  const ownFolders = new Set(tree.paths.filter((path) => nameOf(path) === 'capstan.yaml').map(folderOf))
  const isDescribed = (path: string): boolean =>
    ['', ...parentsOf(folderOf(path))].some((folder) => {
      const depth = folderOf(path).slice(folder.length).split('/').filter(Boolean).length
      return described.has(folder) && depth <= maxDepth
    })
  const isOwn = (path: string): boolean => ownFolders.has(folderOf(path)) && !known.has(path)
  const alone = files.filter((path) => !isAttachedPath(path) && !isDescribed(path) && !isOwn(path))
  const rankOf = (path: string): number => composeNames.indexOf(nameOf(path).toLowerCase())
  const firsts = [...Map.groupBy(alone, folderOf).values()].flatMap(
    (same) => same.toSorted((left, right) => rankOf(left) - rankOf(right))[0] ?? [],
  )
  return firsts.filter((path) => !isCopy(path, firsts))
}

function categoryOf(folder: string): ChallengeCategory | undefined {
  return parentsOf(folder)
    .map((each) => parseCategory(nameOf(each)))
    .find((category) => category !== undefined)
}

const placeholder = /fake|test|dummy|redacted|example|placeholder|local|not_?the|here|xxx|\.\.\./i

const flagForm = /^\w{1,32}\{.+\}$/

const flagFileNames = ['flag.txt', 'flag', 'FLAG', 'FLAG.txt']

const maxFlagFileBytes = 4_096

/** Maximum number of levels between a compose file and a file with its flag. */
const maxFlagDepth = 2

/**
 * Returns the first line of a file if the line is a flag. A placeholder is not a flag. Files for players contain such placeholders.
 */
function readFlag(tree: FileTree, path: string): string | undefined {
  const first = readTextIfPossible(tree, path, maxFlagFileBytes)?.split('\n', 1)[0]?.trim() ?? ''
  return flagForm.test(first) && !placeholder.test(first) ? first : undefined
}

/**
 * Returns the file with the flag in or below the folder of a compose file. Ignores folders for players and folders with other
 * compose files.
 * @returns undefined if there is no file with a flag, or if the files contain different flags
 */
function flagFileBelow(tree: FileTree, home: string): string | undefined {
  const inside = home === '' ? '' : `${home}/`
  const found = tree.paths.filter((path) => {
    if (!path.startsWith(inside) || !flagFileNames.includes(nameOf(path))) return false
    const parts = folderOf(path.slice(inside.length)).split('/')
    const folders = parts.map((_, index) => inside + parts.slice(0, index + 1).join('/'))
    const isOther = folders.some((folder) => findFirstFile(tree, folder, composeNames) !== undefined)
    return parts.length <= maxFlagDepth && !isOther && !parts.some((part) => foldersForPeople.test(part))
  })
  const flags = new Map(
    found.flatMap((path) => {
      const flag = readFlag(tree, path)
      return flag === undefined ? [] : [[flag, path] as const]
    }),
  )
  return flags.size === 1 ? [...flags.values()][0] : undefined
}

/** Returns the file in the challenge's folder that contains only the flag. */
function flagFileOfChallenge(tree: FileTree, folder: string): string | undefined {
  const name = findFirstFile(tree, folder, [...flagFileNames, 'flags.txt'])
  const path = name === undefined ? undefined : joinPath(folder, name)
  const lines = path === undefined ? '' : (readTextIfPossible(tree, path, maxFlagFileBytes) ?? '').trim()
  return path !== undefined && !lines.includes('\n') && readFlag(tree, path) !== undefined ? path : undefined
}

/**
 * Returns the flag of a challenge.
 * @param home folder of the compose file
 * @param folder folder of the challenge, which is the same folder or one above it
 */
function flagsOf(
  tree: FileTree,
  home: string,
  folder: string,
  variables: readonly string[],
  note: (outcome: 'converted' | 'left-out', why: string) => void,
): FlagRule[] {
  const [only, ...others] = variables.filter((value) => flagForm.test(value) && !placeholder.test(value))
  if (only !== undefined && others.length === 0 && [...only].length > Limits.maxFlagLength) {
    note('left-out', `The value of the variable is longer than the ${Limits.maxFlagLength} characters of a flag.`)
    return []
  }
  if (only !== undefined && others.length === 0) {
    note('converted', 'The flag is the value of the variable.')
    return [{ text: only }]
  }
  const own = findFirstFile(tree, home, flagFileNames)
  const path = own === undefined ? (flagFileOfChallenge(tree, folder) ?? flagFileBelow(tree, home)) : joinPath(home, own)
  if (path === undefined) return []
  const file = relativeTo(home, path)
  note('converted', `The flag is the first line of \`${file}\`.`)
  return [{ file }]
}

/** Usual names of folders with files for players. */
const attachmentFolders = ['attachments', 'dist', 'distfiles', 'handout', 'handouts']

/** Returns the folder with files for players. This folder is beside the compose file or in the folder of the challenge. */
function attachmentsOf(tree: FileTree, home: string, folder: string): AttachmentRule[] {
  const found = [home, folder]
    .flatMap((base) => attachmentFolders.map((name) => joinPath(base, name)))
    .find((path) => hasFolder(tree, path))
  return found === undefined ? [] : [{ file: relativeTo(home, found) }]
}

export const composeDialect: { readonly name: DialectName } = { name: 'compose' }

export function readStandaloneComposeFile(tree: FileTree, file: string): ReadOne {
  const findings: Finding[] = []
  const folder = challengeFolderOf(file)
  const known = categoryOf(folderOf(folder))
  const category = known ?? 'Misc'
  const unsaid = new Fields({ file, value: {}, lineOf: () => 1 }, findings)
  const title = unsaid.shorten(nameOf(folder) || 'challenge', InputLimits.maxTitleLength, 'title')
  const note = unsaid.note.bind(unsaid)
  const unread = composeNames.filter((name) => name !== nameOf(file) && hasFile(tree, joinPath(folderOf(file), name)))
  for (const name of unread)
    note('', 'left-out', `\`${name}\` in the same folder is not read.`, 'Remove the file that is not needed.')
  const read = readCompose(tree, file, composeOptionsOfService(file, { category, address: '' }), findings)
  if (read === undefined && !findings.some(({ outcome }) => outcome === 'refused'))
    note('services', 'refused', 'The file has no services.', 'Add them, or remove the file.')
  const own = read?.own ?? {}
  const found = flagsOf(tree, folderOf(file), folder, read?.flags ?? [], (outcome, why) =>
    note('flags', outcome, why, 'Check it.'),
  )
  const flags = Array.isArray(own.flags) ? (own.flags as FlagRule[]) : found
  if (flags.length === 0)
    note(
      'flags',
      'left-out',
      'The file has no flag, so the challenge cannot be solved yet.',
      'Add it to `flags` before you enable the challenge.',
    )
  const text = findFirstFile(tree, folder, ['description.md', 'Description.md', 'DESCRIPTION.md'])
  if (own.description === undefined && text !== undefined)
    note('description', 'converted', `The text is \`${text}\` in the folder of the challenge.`, 'Check it, and set `score`.')
  else if (own.description === undefined || own.score === undefined)
    note('', 'converted', 'The challenge has no text, and the points of the platform.', 'Set `description` and `score`.')
  if (known === undefined && own.category === undefined)
    note('category', 'converted', 'No folder names a category, so it is Misc.', 'Set `category`.')
  const attachments = own.attachments === undefined && own.flags === undefined ? attachmentsOf(tree, folderOf(file), folder) : []
  for (const each of attachments)
    if ('file' in each)
      note(
        'attachments',
        'converted',
        `The files in \`${each.file}\` become the attachments.`,
        'Check that players may have them.',
      )
  const challenge: ChallengeFile = {
    apiVersion: challengeApiVersion,
    kind: 'Challenge',
    name: nameFromTitle(title),
    title,
    category,
    enabled: flags.length > 0,
    description: text === undefined ? '' : { file: relativeTo(folderOf(file), joinPath(folder, text)) },
    ...read?.containers,
    ...(attachments.length > 0 && { attachments }),
    ...own,
    flags,
  }
  return { challenge, dockerfiles: read?.dockerfiles ?? [], findings }
}
