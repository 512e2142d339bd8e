import { ChallengeFile, containersOf, mapContainers } from '../format/challenge.ts'
import { findCapstanFiles } from '../format/find.ts'
import { findSchemaFaults } from '../format/validate.ts'
import type { Finding } from '../report.ts'
import { readForeignFile } from '../toml.ts'
import { addTextFiles, type FileTree, folderOf, joinPath, nameOf, resolvePath, type WrittenFile } from '../tree.ts'
import { UnreadableFile } from '../yaml.ts'
import { moveAddressesToDescription } from './attachments.ts'
import { composeDialect, findStandaloneComposeFiles, readStandaloneComposeFile } from './compose-alone.ts'
import { ctfcli } from './ctfcli.ts'
import { isCsvFileName, readCtfdSheet } from './ctfd-sheet.ts'
import { findDescriptors, hasDescriptorName, hasFlagKey } from './descriptor-names.ts'
import type { Dialect, DialectName, Imported, ReadOne } from './dialect.ts'
import { reportIgnoredDocuments, reportOddSyntax } from './documents.ts'
import { challengeList, general } from './general.ts'
import { convertJailedBuild } from './jailed-build.ts'
import { kctf } from './kctf.ts'
import { klodd } from './klodd.ts'
import { assignStableChallengeNames } from './known-names.ts'
import { kona } from './kona.ts'
import { addMissingLimits, type DefaultLimits } from './limits.ts'
import { addProjectFindings } from './projects.ts'
import { rcds } from './rcds.ts'
import { reportOtherFlags, setSharedFlag, withoutUnusableFlags } from './shared-flag.ts'

const dialects: readonly Dialect[] = [kctf, klodd, kona, ctfcli, rcds, general, challengeList]

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

/** Removes a readiness probe if it checks a port that the container does not have. */
function readyAtItsPorts(challenge: ChallengeFile): ChallengeFile {
  let isChanged = false
  const ready = mapContainers(challenge, (container) => {
    const asked = container.readiness?.port
    if (asked === undefined || container.ports?.some(({ port }) => port === asked) === true) return container
    const { readiness: _, ...others } = container
    isChanged = true
    return others
  })
  return isChanged ? ready : challenge
}

/** Returns the additional Dockerfiles that a container is built from. */
function writtenFor(challenge: ChallengeFile, file: string, texts: ReadonlyMap<string, string>): WrittenFile[] {
  const used = new Set(
    containersOf(challenge).map(({ build }) =>
      build === undefined ? '' : joinPath(resolvePath(folderOf(file), build.context) ?? '', build.dockerfile ?? 'Dockerfile'),
    ),
  )
  return [...texts].flatMap(([path, text]) => (used.has(path) ? [{ path, text }] : []))
}

/** Returns a finding for each invalid value in a challenge. */
function refuseInvalid(challenge: ChallengeFile, file: string): Finding[] {
  return findSchemaFaults(ChallengeFile, challenge).map(({ path, message }) => ({
    file,
    line: 1,
    field: path,
    outcome: 'refused',
    why: message,
  }))
}

function judged(
  tree: FileTree,
  dialect: Pick<Dialect, 'name'>,
  file: string,
  { challenge: read, dockerfiles: added = [], findings: ownFindings, alone = [], nearby }: ReadOne,
): Imported {
  const findings = [...ownFindings, ...(nearby?.findings ?? [])]
  // Values of `x-capstan` may have any type. Check them first, because the conversions need a valid challenge.
  const invalidBefore = refuseInvalid(read, file)
  if (invalidBefore.length > 0) return { dialect: dialect.name, file, findings: [...findings, ...alone, ...invalidBefore] }
  const texts = new Map(added.map(({ path, text }) => [path, text]))
  const { challenge: converted, dockerfiles, findings: jailed } = convertJailedBuild(addTextFiles(tree, texts), file, read)
  for (const { path, text } of dockerfiles) texts.set(path, text)
  const ready = readyAtItsPorts(converted)
  const changed: Finding[] = []
  const solvable = withoutUnusableFlags(tree, file, ready, changed)
  const challenge = moveAddressesToDescription(setSharedFlag(solvable), file, changed)
  reportOtherFlags(tree, file, challenge, changed)

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
  const all = [...findings, ...alone, ...jailed, ...unready, ...changed, ...refuseInvalid(challenge, file)]
  const isRefused = all.some(({ outcome }) => outcome === 'refused')
  return {
    dialect: dialect.name,
    file,
    ...(isRefused ? {} : { challenge, ...(texts.size > 0 && { dockerfiles: writtenFor(challenge, file, texts) }) }),
    findings: all,
  }
}

type ReadDescriptor = Readonly<{
  file: string
  dialect: Dialect
  challenges: readonly ReadOne[]
}>

/** Dialects whose files contain several documents. */
const readsAllDocuments: ReadonlySet<DialectName> = new Set<DialectName>(['kctf', 'klodd'])

/**
 * Reads a descriptor.
 * @returns undefined if its dialect is unknown
 * @throws UnreadableFile
 */
function readDescriptor(tree: FileTree, file: string): ReadDescriptor | undefined {
  const [first, ...others] = readForeignFile(tree, file).filter(({ value }) => typeof value === 'object' && value !== null)
  const dialect = first && dialects.find((each) => each.recognizes(file.toLowerCase(), first.value as Record<string, unknown>))
  if (dialect === undefined) return undefined
  const read = dialect.read(tree, file)
  const [challenge, ...more] = Array.isArray(read) ? (read as readonly ReadOne[]) : [read as ReadOne]
  if (challenge === undefined) return { file, dialect, challenges: [] }
  const unread = readsAllDocuments.has(dialect.name) ? [] : reportIgnoredDocuments(others)
  const tags = first === undefined ? [] : reportOddSyntax(first)
  return { file, dialect, challenges: [{ ...challenge, findings: [...challenge.findings, ...tags, ...unread] }, ...more] }
}

function onlyOf<Each>(all: readonly Each[], fits: (each: Each) => boolean): Each | undefined {
  const [found, ...others] = all.filter(fits)
  return others.length === 0 ? found : undefined
}

function withoutContainers({ container: _, containers: __, ...challenge }: ChallengeFile): ChallengeFile {
  return challenge
}

/**
 * Returns the containers of a descriptor that only describes how a challenge runs. Such a descriptor often says only that a port
 * speaks TCP, so the protocol also follows from the text of the challenge.
 */
function runtimeOf(challenge: ChallengeFile, nearby: ReadOne['nearby']): Pick<ChallengeFile, 'container' | 'containers'> {
  const { container, containers } = mapContainers(challenge, (each) => ({
    ...each,
    ...(each.ports && {
      ports: each.ports.map((port) => ({
        ...port,
        ...(port.speaks === 'tcp' && { speaks: nearby?.speaks(port.port) ?? 'tcp' }),
      })),
    }),
  }))
  return { ...(container && { container }), ...(containers && { containers }) }
}

/**
 * Imports the descriptors of one folder. Merges two descriptors if one has the text and the flag, and the other describes how the
 * challenge runs.
 */
function importFolder(tree: FileTree, all: readonly ReadDescriptor[]): Imported[] {
  const deployment = onlyOf(all, ({ challenges }) => challenges.length === 1 && challenges[0]?.alone !== undefined)
  const text = onlyOf(all, ({ challenges }) => challenges.length === 1 && challenges[0]?.alone === undefined)
  const [run] = deployment?.challenges ?? []
  const [described] = text?.challenges ?? []
  if (all.length !== 2 || deployment === undefined || text === undefined || run === undefined || described === undefined)
    return all.flatMap(({ file, dialect, challenges }) => challenges.map((each) => judged(tree, dialect, file, each)))
  const { nearby } = described
  const hasOwn =
    containersOf(described.challenge).length > 0 && (nearby === undefined || containersOf(run.challenge).length === 0)
  const runtime = hasOwn ? {} : runtimeOf(run.challenge, nearby)
  const unused: Finding[] =
    !hasOwn || containersOf(run.challenge).length === 0
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
  const noFiles = (described.challenge.attachments ?? []).length === 0
  const unattached: Finding[] =
    noFiles && (run.challenge.attachments ?? []).length > 0
      ? [
          {
            file: text.file,
            line: 1,
            field: 'attachments',
            outcome: 'left-out',
            why: `\`${nameOf(text.file)}\` lists no files, so those that belong to \`${nameOf(deployment.file)}\` are not attached.`,
            advice: 'Add them to `attachments` if players may have them.',
          },
        ]
      : []
  const one = judged(tree, text.dialect, text.file, {
    challenge: { ...(hasOwn ? described.challenge : withoutContainers(described.challenge)), ...runtime },
    dockerfiles: [...(described.dockerfiles ?? []), ...(run.dockerfiles ?? [])],
    findings: [...described.findings, ...run.findings, ...unused, ...unattached],
    ...(hasOwn && nearby && { nearby }),
  })
  return [{ ...one, deployment: { dialect: deployment.dialect.name, file: deployment.file } }]
}

function readOrRefuse(tree: FileTree, file: string): ReadDescriptor | Imported | undefined {
  try {
    return readDescriptor(tree, file)
  } catch (cause) {
    // Do not report an unreadable file that has neither the name of a descriptor nor a flag.
    const isReported = hasDescriptorName(file) || !(cause instanceof UnreadableFile) || hasFlagKey(tree, file)
    return isReported ? unreadable(file, cause) : undefined
  }
}

/** Imports the challenges of a sheet, or no challenges if the sheet has another format. */
function importSheet(tree: FileTree, file: string): Imported[] {
  try {
    return (readCtfdSheet(tree, file, maxDescriptors) ?? []).map((each) => judged(tree, { name: 'ctfd' }, file, each))
  } catch (cause) {
    return [unreadable(file, cause, 'ctfd')]
  }
}

/**
 * Imports one descriptor without the other descriptors of the folder.
 * @returns an empty list if the dialect of the descriptor is unknown
 */
export function importDescriptor(tree: FileTree, file: string): Imported[] {
  const read = readOrRefuse(tree, file)
  if (read === undefined) return []
  return 'challenges' in read ? importFolder(tree, [read]) : [read]
}

export function importCompose(tree: FileTree, file: string): Imported {
  let read: ReadOne
  try {
    read = readStandaloneComposeFile(tree, file)
  } catch (cause) {
    return unreadable(file, cause, composeDialect.name)
  }
  return judged(tree, composeDialect, file, read)
}

/** Sets and reports the limits of a container whose descriptor has no limits. */
function limited(imported: Imported, limits: DefaultLimits): Imported {
  if (imported.challenge === undefined) return imported
  const findings = [...imported.findings]
  return { ...imported, challenge: addMissingLimits(imported.challenge, limits, imported.file, findings), findings }
}

/**
 * Imports every challenge in a known format from a tree of files.
 * @param limits default limits of containers
 * @throws if the tree contains more than `maxDescriptors` descriptors
 */
export function importTree(tree: FileTree, limits: DefaultLimits = {}): Imported[] {
  const { isAttachedPath } = findCapstanFiles(tree)
  const descriptors = findDescriptors(tree).filter((path) => !isAttachedPath(path))
  if (descriptors.length > maxDescriptors) throw new Error(`There are more than ${maxDescriptors} challenges.`)
  const read = descriptors.flatMap((file) => readOrRefuse(tree, file) ?? [])
  const folders = [...Map.groupBy(read, ({ file }) => folderOf(file)).values()]
  const imported = folders.flatMap((all) => {
    const readable = all.filter((each): each is ReadDescriptor => 'challenges' in each)
    return [...importFolder(tree, readable), ...all.filter((each): each is Imported => !('challenges' in each))]
  })
  const sheets = tree.paths
    .filter((path) => isCsvFileName(path) && !isAttachedPath(path))
    .flatMap((file) => importSheet(tree, file))
  const alone = findStandaloneComposeFiles(tree).map((file) => importCompose(tree, file))
  if (imported.length + sheets.length + alone.length > maxDescriptors)
    throw new Error(`There are more than ${maxDescriptors} challenges.`)
  const named = assignStableChallengeNames(tree, [...imported, ...sheets, ...alone])
  return addProjectFindings(
    tree,
    named.map((each) => limited(each, limits)),
  )
}

/** Returns the files that look like a descriptor, but have no known format. */
export function listUnreadDescriptors(tree: FileTree, imported: readonly Imported[]): string[] {
  const read = new Set(imported.flatMap(({ file, deployment }) => [file, ...(deployment === undefined ? [] : [deployment.file])]))
  const { isAttachedPath } = findCapstanFiles(tree)
  const possible = new Set(findDescriptors(tree))
  const isOne = (path: string): boolean => hasDescriptorName(path) || (possible.has(path) && hasFlagKey(tree, path))
  return tree.paths.filter((path) => !read.has(path) && !isAttachedPath(path) && isOne(path))
}
