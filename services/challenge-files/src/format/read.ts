import type { Static, TSchema } from 'typebox'
import type { Finding } from '../report.ts'
import { type FileTree, folderOf, hasFile, hasFolder, printableName, resolvePath } from '../tree.ts'
import { type FieldPath, readYaml, type Source, UnreadableFile } from '../yaml.ts'
import { ChallengeFile, containersOf } from './challenge.ts'
import { GameFile } from './game.ts'
import { findSchemaFaults } from './validate.ts'

export type ReadChallenge = Readonly<{
  file: string
  /** Challenge in the file. Absent if there are findings. */
  challenge?: ChallengeFile
  findings: readonly Finding[]
}>

export type ReadGame = Readonly<{
  file: string
  /** Game in the file. Absent if there are findings. */
  game?: GameFile
  findings: readonly Finding[]
}>

type NamedPath = Readonly<{
  field: string
  path: string
  isFolder?: boolean
}>

type Fault = Readonly<{
  field: string
  why: string
}>

/** Rules that a JSON schema cannot express. */
type Further<Described> = Readonly<{
  paths: (described: Described) => readonly NamedPath[]
  sensible: (described: Described) => readonly Fault[]
}>

function textPath(description: ChallengeFile['description'] | undefined): NamedPath[] {
  return typeof description === 'object' ? [{ field: 'description.file', path: description.file }] : []
}

const ofChallenge: Further<ChallengeFile> = {
  paths: ({ description, flags, attachments, ...file }) => [
    ...textPath(description),
    ...flags.flatMap((flag, index) => ('file' in flag ? [{ field: `flags[${index}].file`, path: flag.file }] : [])),
    ...flags.flatMap((flag, index) =>
      'text' in flag && flag.attachment !== undefined && 'file' in flag.attachment
        ? [{ field: `flags[${index}].attachment.file`, path: flag.attachment.file }]
        : [],
    ),
    ...(attachments ?? []).flatMap((each, index) =>
      'file' in each ? [{ field: `attachments[${index}].file`, path: each.file, isFolder: true }] : [],
    ),
    ...containersOf(file).flatMap(({ build, place }) =>
      build === undefined
        ? []
        : [
            { field: `${place}.build.context`, path: build.context, isFolder: true },
            ...(build.dockerfile === undefined
              ? []
              : [{ field: `${place}.build.dockerfile`, path: `${build.context}/${build.dockerfile}` }]),
          ],
    ),
  ],
  sensible: ({ release, deadline, ...file }) => [
    ...(release !== undefined && deadline !== undefined && Date.parse(deadline) <= Date.parse(release)
      ? [{ field: 'deadline', why: 'The deadline must be after the release.' }]
      : []),
    ...containersOf(file).flatMap(({ image, build, place }) =>
      (image === undefined) === (build === undefined)
        ? [{ field: place, why: 'Name either an image or a folder to build, not both.' }]
        : [],
    ),
    ...(file.container !== undefined && file.containers !== undefined
      ? [{ field: 'containers', why: 'Give either one `container` or several `containers`.' }]
      : []),
    ...(file.containers !== undefined && (file.containers[0]?.ports ?? []).length === 0
      ? [{ field: 'containers[0].ports', why: 'The first container needs a port for players.' }]
      : []),
  ],
}

const ofGame: Further<GameFile> = {
  paths: ({ description, poster }) => [
    ...textPath(description),
    ...(poster === undefined ? [] : [{ field: 'poster', path: poster }]),
  ],
  sensible: ({ starts, ends, writeups, divisions = [] }) => [
    ...[['starts', starts] as const, ['ends', ends] as const, ['writeups.deadline', writeups?.deadline] as const].flatMap(
      ([field, time]) =>
        time !== undefined && Number.isNaN(Date.parse(time))
          ? [{ field, why: 'This must be a time such as 2026-10-01T10:00:00Z.' }]
          : [],
    ),
    ...(starts !== undefined && ends !== undefined && Date.parse(ends) <= Date.parse(starts)
      ? [{ field: 'ends', why: 'The game must end after it starts.' }]
      : []),
    ...(new Set(divisions.map(({ name }) => name.trim())).size < divisions.length
      ? [{ field: 'divisions', why: 'Two divisions have the same name.' }]
      : []),
  ],
}

/** Returns the paths of files to which a challenge refers, but which are missing in the tree. */
export function findMissingFiles(tree: FileTree, file: string, challenge: ChallengeFile): string[] {
  return ofChallenge.paths(challenge).flatMap(({ path, isFolder = false }) => {
    const whole = resolvePath(folderOf(file), path)
    return whole === undefined || isThere(tree, whole, isFolder) ? [] : [whole]
  })
}

function isThere(tree: FileTree, whole: string, isFolder: boolean): boolean {
  return hasFile(tree, whole) || (isFolder && hasFolder(tree, whole))
}

function keysOf(field: string): FieldPath {
  return field
    .split(/[.[\]]/)
    .filter((part) => part !== '')
    .map((part) => (/^\d+$/.test(part) ? Number(part) : part))
}

function refuse(file: string, line: number, field: string, why: string): Finding {
  return {
    file,
    line,
    field,
    outcome: 'refused',
    why,
  }
}

/** Returns the only document of a file, or the reason why the file does not have exactly one document. */
function readOne(tree: FileTree, file: string): Source | Finding {
  try {
    const [source, ...others] = readYaml(tree, file, '1.2')
    return source === undefined || others.length > 0
      ? refuse(file, 1, '', 'The file must describe exactly one game or one challenge.')
      : source
  } catch (cause) {
    const line = cause instanceof UnreadableFile ? cause.line : 1
    return refuse(file, line, '', cause instanceof Error ? cause.message : String(cause))
  }
}

function judge<Schema extends TSchema>(
  tree: FileTree,
  source: Source,
  schema: Schema,
  { paths, sensible }: Further<Static<Schema>>,
): Readonly<{ described?: Static<Schema>; findings: readonly Finding[] }> {
  const { file, value } = source
  const refuseAt = (field: string, why: string, keys = keysOf(field)) => refuse(file, source.lineOf(keys), field, why)
  const invalid = findSchemaFaults(schema, value, source.textOf)
  if (invalid.length > 0) return { findings: invalid.map(({ path, message, keys }) => refuseAt(path, message, keys)) }
  const described = value as Static<Schema>
  const findings = [
    ...sensible(described).map(({ field, why }) => refuseAt(field, why)),
    ...paths(described).flatMap(({ field, path, isFolder = false }) => {
      const whole = resolvePath(folderOf(file), path)
      if (whole === undefined) return [refuseAt(field, `\`${path}\` is outside of the folder.`)]
      if (isThere(tree, whole, isFolder)) return []
      const why = tree.leftOut?.get(whole)
      return [
        refuseAt(field, why === undefined ? `\`${path}\` does not exist.` : `\`${printableName(path)}\` ${why} and is not read.`),
      ]
    }),
  ]
  return findings.length > 0 ? { findings } : { described, findings }
}

function challengeOf(tree: FileTree, source: Source): ReadChallenge {
  const { described, findings } = judge(tree, source, ChallengeFile, ofChallenge)
  return { file: source.file, findings, ...(described && { challenge: described }) }
}

function gameOf(tree: FileTree, source: Source): ReadGame {
  const { described, findings } = judge(tree, source, GameFile, ofGame)
  return { file: source.file, findings, ...(described && { game: described }) }
}

function kindOf({ value }: Source): unknown {
  return typeof value === 'object' && value !== null ? (value as { kind?: unknown }).kind : undefined
}

/** Reads the `capstan.yaml` of a challenge and reports all its faults. */
export function readChallenge(tree: FileTree, file: string): ReadChallenge {
  const source = readOne(tree, file)
  return 'outcome' in source ? { file, findings: [source] } : challengeOf(tree, source)
}

export type ReadCapstanFile = ({ readonly kind: 'Game' } & ReadGame) | ({ readonly kind: 'Challenge' } & ReadChallenge)

export function readCapstanFile(tree: FileTree, file: string): ReadCapstanFile {
  const source = readOne(tree, file)
  if ('outcome' in source) return { kind: 'Challenge', file, findings: [source] }
  return kindOf(source) === 'Game'
    ? { kind: 'Game', ...gameOf(tree, source) }
    : { kind: 'Challenge', ...challengeOf(tree, source) }
}
