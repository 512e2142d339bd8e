import { ChallengeFile } from '../format/challenge.ts'
import { findCapstanFiles } from '../format/find.ts'
import { problemsOf } from '../format/validate.ts'
import type { Finding } from '../report.ts'
import { readForeignFile } from '../toml.ts'
import { type FileTree, folderOf, nameOf } from '../tree.ts'
import { UnreadableFile } from '../yaml.ts'
import { withLinksInText } from './attachments.ts'
import { ctfcli } from './ctfcli.ts'
import { isSheet, readCtfdSheet } from './ctfd-sheet.ts'
import { descriptorsOf, hasDescriptorName } from './descriptor-names.ts'
import type { Dialect, DialectName, Imported, ReadOne } from './dialect.ts'
import { general } from './general.ts'
import { convertBuild } from './jailed-build.ts'
import { kctf } from './kctf.ts'
import { klodd } from './klodd.ts'
import { withLastingNames } from './known-names.ts'
import { kona } from './kona.ts'
import { type DefaultLimits, withLimits } from './limits.ts'
import { withProjects } from './projects.ts'
import { rcds } from './rcds.ts'
import { withSharedFlag } from './shared-flag.ts'

const dialects: readonly Dialect[] = [kctf, klodd, kona, ctfcli, rcds, general]

/** Maximum number of descriptors in one import. */
export const maxDescriptors = 5_000

function unreadable(file: string, cause: unknown, dialect: DialectName = 'rcds'): Imported {
  return {
    dialect,
    file,
    findings: [
      {
        file,
        line: cause instanceof UnreadableFile ? cause.line : 1,
        field: '',
        outcome: 'refused',
        why: cause instanceof Error ? cause.message : String(cause),
        advice: 'Correct the file.',
      },
    ],
  }
}

/** Removes a readiness probe if the container does not have its port. */
function readyAtItsPorts(challenge: ChallengeFile): ChallengeFile {
  const { container } = challenge
  const asked = container?.readiness?.port
  if (container === undefined || asked === undefined || container.ports.some(({ port }) => port === asked)) return challenge
  const { readiness: _, ...others } = container
  return { ...challenge, container: others }
}

function judged(
  tree: FileTree,
  dialect: Pick<Dialect, 'name'>,
  file: string,
  { challenge: read, findings, alone = [] }: ReadOne,
): Imported {
  const { challenge: converted, dockerfile, findings: jailed } = convertBuild(tree, file, read)
  const ready = readyAtItsPorts(converted)
  const changed: Finding[] = []
  const challenge = withLinksInText(withSharedFlag(ready), file, changed)

  const unready: Finding[] =
    ready === converted
      ? []
      : [
          {
            file,
            line: 1,
            field: 'container.readiness.port',
            outcome: 'left-out',
            why: 'The container does not have this port. The instance is ready when the first port accepts connections.',
          },
        ]
  const invalid = problemsOf(ChallengeFile, challenge).map(({ path, message }) => ({
    file,
    line: 1,
    field: path,
    outcome: 'refused' as const,
    why: message,
  }))
  const all = [...findings, ...alone, ...jailed, ...unready, ...changed, ...invalid]
  const isRefused = all.some(({ outcome }) => outcome === 'refused')
  return {
    dialect: dialect.name,
    file,
    ...(isRefused ? {} : { challenge, ...(dockerfile === undefined ? {} : { dockerfile }) }),
    findings: all,
  }
}

type ReadDescriptor = Readonly<{
  file: string
  dialect: Dialect
  challenges: readonly ReadOne[]
}>

/**
 * Reads a descriptor.
 * @returns undefined if its dialect is unknown
 * @throws UnreadableFile
 */
function readDescriptor(tree: FileTree, file: string): ReadDescriptor | undefined {
  const first = readForeignFile(tree, file).find(({ value }) => typeof value === 'object' && value !== null)
  const dialect = first && dialects.find((each) => each.recognizes(file, first.value as Record<string, unknown>))
  if (dialect === undefined) return undefined
  const read = dialect.read(tree, file)
  return { file, dialect, challenges: Array.isArray(read) ? read : [read as ReadOne] }
}

function onlyOf<Each>(all: readonly Each[], fits: (each: Each) => boolean): Each | undefined {
  const [found, ...others] = all.filter(fits)
  return others.length === 0 ? found : undefined
}

/**
 * Imports the descriptors of one folder. If one has text and flag and the other describes how the challenge runs, they are
 * merged.
 */
function importFolder(tree: FileTree, all: readonly ReadDescriptor[]): Imported[] {
  const deployment = onlyOf(all, ({ challenges }) => challenges.length === 1 && challenges[0]?.alone !== undefined)
  const text = onlyOf(all, ({ challenges }) => challenges.length === 1 && challenges[0]?.alone === undefined)
  const [run] = deployment?.challenges ?? []
  const [described] = text?.challenges ?? []
  if (all.length !== 2 || deployment === undefined || text === undefined || run === undefined || described === undefined)
    return all.flatMap(({ file, dialect, challenges }) => challenges.map((each) => judged(tree, dialect, file, each)))
  const { container } = run.challenge
  const runtime = described.challenge.container !== undefined || container === undefined ? {} : { container }
  const unused: Finding[] =
    described.challenge.container === undefined || container === undefined
      ? []
      : [
          {
            file: deployment.file,
            line: 1,
            field: 'spec',
            outcome: 'left-out',
            why: `\`${nameOf(text.file)}\` describes how to run it.`,
          },
        ]
  const one = judged(tree, text.dialect, text.file, {
    challenge: { ...described.challenge, ...runtime },
    findings: [...described.findings, ...run.findings, ...unused],
  })
  return [{ ...one, deployment: { dialect: deployment.dialect.name, file: deployment.file } }]
}

function readOrRefuse(tree: FileTree, file: string): ReadDescriptor | Imported | undefined {
  try {
    return readDescriptor(tree, file)
  } catch (cause) {
    // A file that has the name of a descriptor only by chance is not reported.
    return hasDescriptorName(file) ? unreadable(file, cause) : undefined
  }
}

/** Imports the challenges of a sheet, or none if the sheet has another format. */
function importSheet(tree: FileTree, file: string): Imported[] {
  try {
    return (readCtfdSheet(tree, file, maxDescriptors) ?? []).map((each) => judged(tree, { name: 'ctfd' }, file, each))
  } catch (cause) {
    return [unreadable(file, cause, 'ctfd')]
  }
}

/** Imports one descriptor and ignores others in its folder. It returns none if the dialect is unknown. */
export function importDescriptor(tree: FileTree, file: string): Imported[] {
  const read = readOrRefuse(tree, file)
  if (read === undefined) return []
  return 'challenges' in read ? importFolder(tree, [read]) : [read]
}

/** Sets and reports the limits of a container whose descriptor has none. */
function limited(imported: Imported, limits: DefaultLimits): Imported {
  if (imported.challenge === undefined) return imported
  const findings = [...imported.findings]
  return { ...imported, challenge: withLimits(imported.challenge, limits, imported.file, findings), findings }
}

/**
 * Imports every challenge of a tree whose dialect is known, in the order of the paths. It skips files that only look like a
 * descriptor, and folders with images or files for players.
 * @param limits limits of containers whose descriptors have none
 * @throws if the tree contains more than `maxDescriptors` descriptors
 */
export function importTree(tree: FileTree, limits: DefaultLimits = {}): Imported[] {
  const { isAttachedPath } = findCapstanFiles(tree)
  const descriptors = descriptorsOf(tree).filter((path) => !isAttachedPath(path))
  if (descriptors.length > maxDescriptors) throw new Error(`There are more than ${maxDescriptors} challenges.`)
  const read = descriptors.flatMap((file) => readOrRefuse(tree, file) ?? [])
  const folders = [...Map.groupBy(read, ({ file }) => folderOf(file)).values()]
  const imported = folders.flatMap((all) => {
    const readable = all.filter((each): each is ReadDescriptor => 'challenges' in each)
    return [...importFolder(tree, readable), ...all.filter((each): each is Imported => !('challenges' in each))]
  })
  const sheets = tree.paths.filter((path) => isSheet(path) && !isAttachedPath(path)).flatMap((file) => importSheet(tree, file))
  if (descriptors.length + sheets.length > maxDescriptors) throw new Error(`There are more than ${maxDescriptors} challenges.`)
  const named = withLastingNames(tree, [...imported, ...sheets])
  return withProjects(
    tree,
    named.map((each) => limited(each, limits)),
  )
}

/** Returns the files that have the name of a descriptor, but no known format. */
export function unreadDescriptors(tree: FileTree, imported: readonly Imported[]): string[] {
  const read = new Set(imported.flatMap(({ file, deployment }) => [file, ...(deployment === undefined ? [] : [deployment.file])]))
  const { isAttachedPath } = findCapstanFiles(tree)
  return tree.paths.filter((path) => hasDescriptorName(path) && !read.has(path) && !isAttachedPath(path))
}
