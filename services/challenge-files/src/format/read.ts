import type { Finding } from '../report.ts'
import { type FileTree, folderOf, resolvePath } from '../tree.ts'
import { readYaml, type Source, UnreadableFile } from '../yaml.ts'
import { ChallengeFile } from './challenge.ts'
import { problemsOf } from './validate.ts'

export interface ReadChallenge {
  readonly file: string
  /** Only if there are no findings. */
  readonly challenge?: ChallengeFile
  readonly findings: readonly Finding[]
}

interface NamedPath {
  readonly field: string
  readonly path: string
  readonly isFolder?: boolean
}

const namedPaths = ({ description, flags, attachments, container }: ChallengeFile): NamedPath[] => [
  ...(typeof description === 'string' ? [] : [{ field: 'description.file', path: description.file }]),
  ...flags.flatMap((flag, index) => ('file' in flag ? [{ field: `flags[${index}].file`, path: flag.file }] : [])),
  ...(attachments ?? []).flatMap((each, index) =>
    'file' in each ? [{ field: `attachments[${index}].file`, path: each.file }] : [],
  ),
  ...(container?.build === undefined
    ? []
    : [{ field: 'container.build.context', path: container.build.context, isFolder: true }]),
]

const isThere = (tree: FileTree, whole: string, isFolder: boolean): boolean =>
  isFolder ? whole === '' || tree.paths.some((path) => path.startsWith(`${whole}/`)) : tree.paths.includes(whole)

/** What the schema cannot say. */
const sensible = ({ container }: ChallengeFile): { field: string; why: string }[] => [
  ...(container !== undefined && (container.image === undefined) === (container.build === undefined)
    ? [{ field: 'container', why: 'It names either an image or a folder to build.' }]
    : []),
]

const lineAt = (source: Source, field: string): number =>
  source.lineOf(
    field
      .split(/[.[\]]/)
      .filter((part) => part !== '')
      .map((part) => (/^\d+$/.test(part) ? Number(part) : part)),
  )

/** Reads one `capstan.yaml` and says everything that is wrong with it. */
export const readChallenge = (tree: FileTree, file: string): ReadChallenge => {
  const refuse = (line: number, field: string, why: string): Finding => ({ file, line, field, outcome: 'refused', why })
  let source: Source | undefined
  try {
    const sources = readYaml(tree, file, '1.2')
    source = sources[0]
    if (source === undefined || sources.length > 1) return { file, findings: [refuse(1, '', 'It holds one challenge.')] }
  } catch (cause) {
    const line = cause instanceof UnreadableFile ? cause.line : 1
    return { file, findings: [refuse(line, '', cause instanceof Error ? cause.message : String(cause))] }
  }
  const read = source
  const invalid = problemsOf(ChallengeFile, read.value)
  if (invalid.length > 0) return { file, findings: invalid.map(({ path, message }) => refuse(lineAt(read, path), path, message)) }
  const challenge = read.value as ChallengeFile
  const findings = [
    ...sensible(challenge).map(({ field, why }) => refuse(lineAt(read, field), field, why)),
    ...namedPaths(challenge).flatMap(({ field, path, isFolder = false }) => {
      const whole = resolvePath(folderOf(file), path)
      if (whole === undefined) return [refuse(lineAt(read, field), field, `\`${path}\` is outside of the folder.`)]
      return isThere(tree, whole, isFolder) ? [] : [refuse(lineAt(read, field), field, `\`${path}\` is not there.`)]
    }),
  ]
  return findings.length > 0 ? { file, findings } : { file, challenge, findings }
}
