import { ChallengeFile } from '../format/challenge.ts'
import { problemsOf } from '../format/validate.ts'
import type { Finding } from '../report.ts'
import { type FileTree, folderOf, nameOf } from '../tree.ts'
import { readYaml, UnreadableFile } from '../yaml.ts'
import { ctfcli } from './ctfcli.ts'
import type { Dialect, Imported, ReadOne } from './dialect.ts'
import { convertBuild } from './jailed-build.ts'
import { kctf } from './kctf.ts'
import { klodd } from './klodd.ts'
import { kona } from './kona.ts'
import { rcds } from './rcds.ts'

const dialects: readonly Dialect[] = [kctf, klodd, kona, ctfcli, rcds]

/** Descriptors that one import reads at most. */
export const descriptorsMax = 5_000

const isDescriptor = (path: string): boolean => /^(?:challenge|chall|kona|klodd)\.ya?ml$/.test(nameOf(path))

const unreadable = (file: string, cause: unknown): Imported => ({
  dialect: 'rcds',
  file,
  findings: [
    {
      file,
      line: cause instanceof UnreadableFile ? cause.line : 1,
      field: '',
      outcome: 'refused',
      why: cause instanceof Error ? cause.message : String(cause),
      advice: 'Mend the file.',
    },
  ],
})

/** Readiness is asked at a port that the container has. */
const readyAtItsPorts = (challenge: ChallengeFile): ChallengeFile => {
  const { container } = challenge
  const asked = container?.readiness?.port
  if (container === undefined || asked === undefined || container.ports.some(({ port }) => port === asked)) return challenge
  const { readiness: _, ...others } = container
  return { ...challenge, container: others }
}

const judged = (tree: FileTree, dialect: Dialect, file: string, { challenge: read, findings }: ReadOne): Imported => {
  const { challenge: converted, dockerfile, findings: jailed } = convertBuild(tree, file, read)
  const challenge = readyAtItsPorts(converted)
  const unready: Finding[] =
    challenge === converted
      ? []
      : [
          {
            file,
            line: 1,
            field: 'container.readiness.port',
            outcome: 'left-out',
            why: 'It is none of the ports of the container: it is ready when its first port accepts connections.',
          },
        ]
  const invalid = problemsOf(ChallengeFile, challenge).map(({ path, message }) => ({
    file,
    line: 1,
    field: path,
    outcome: 'refused' as const,
    why: message,
  }))
  const all = [...findings, ...jailed, ...unready, ...invalid]
  const isRefused = all.some(({ outcome }) => outcome === 'refused')
  return {
    dialect: dialect.name,
    file,
    ...(isRefused ? {} : { challenge, ...(dockerfile === undefined ? {} : { dockerfile }) }),
    findings: all,
  }
}

const importOne = (tree: FileTree, file: string): Imported[] => {
  try {
    const first = readYaml(tree, file, '1.1').find(({ value }) => typeof value === 'object' && value !== null)
    const dialect = first && dialects.find((each) => each.recognizes(file, first.value as Record<string, unknown>))
    if (dialect === undefined) return []
    const read = dialect.read(tree, file)
    return (Array.isArray(read) ? read : [read]).map((each) => judged(tree, dialect, file, each))
  } catch (cause) {
    return [unreadable(file, cause)]
  }
}

/** Names are made different by the folders that they stand in, as far as is needed. */
const withOwnNames = (imported: readonly Imported[]): Imported[] => {
  const taken = new Set<string>()
  return imported.map((each) => {
    if (each.challenge === undefined) return each
    const { name } = each.challenge
    let own = name
    for (let count = 2; taken.has(own); count++) own = `${name.slice(0, 58)}-${count}`
    taken.add(own)
    return own === name ? each : { ...each, challenge: { ...each.challenge, name: own } }
  })
}

/**
 * Every challenge of a tree whose dialect is known, in the order of the paths. Files that only look like a descriptor are passed
 * over.
 *
 * @throws if the tree holds more than `descriptorsMax` descriptors
 */
export const importTree = (tree: FileTree): Imported[] => {
  const descriptors = tree.paths.filter(isDescriptor)
  if (descriptors.length > descriptorsMax) throw new Error(`There are more than ${descriptorsMax} challenges here.`)
  return withOwnNames(descriptors.flatMap((file) => importOne(tree, file)))
}

/** Where the file of an imported challenge is written. */
export const targetOf = ({ file }: Imported): string => [folderOf(file), 'capstan.yaml'].filter((part) => part !== '').join('/')
