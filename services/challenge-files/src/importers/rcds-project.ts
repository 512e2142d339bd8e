import { isRecord } from '../record.ts'
import { readForeignFile } from '../toml.ts'
import { type FileTree, folderOf, hasFile } from '../tree.ts'
import { type Source, UnreadableFile } from '../yaml.ts'

/** Settings of an rcds project, which apply to all challenges below it. */
type Project = Readonly<{
  defaults: Readonly<Record<string, unknown>>
  /** Minimum and maximum of dynamic points. */
  points?: Readonly<{ minimum: number; maximum: number }>
}>

const names = ['rcds.yaml', 'rcds.yml', 'rcds.toml']

function recordOf(value: unknown): Record<string, unknown> {
  return isRecord(value) ? value : {}
}

function projectFile(tree: FileTree, descriptor: string): string | undefined {
  for (let folder = folderOf(descriptor); ; folder = folderOf(folder)) {
    const found = names.map((name) => (folder === '' ? name : `${folder}/${name}`)).find((path) => hasFile(tree, path))
    if (found !== undefined || folder === '') return found
  }
}

function pointsOf(backends: unknown): Project['points'] {
  for (const backend of Array.isArray(backends) ? backends : []) {
    const { minPoints, maxPoints } = recordOf(recordOf(recordOf(backend).options).scoring)
    if (typeof minPoints === 'number' && typeof maxPoints === 'number') return { minimum: minPoints, maximum: maxPoints }
  }
  return undefined
}

/** Returns the project file in a parent folder of a descriptor, or undefined if there is no readable project file. */
export function findRcdsProject(tree: FileTree, descriptor: string): Project | undefined {
  const file = projectFile(tree, descriptor)
  if (file === undefined) return undefined
  try {
    const project = recordOf(readForeignFile(tree, file)[0]?.value)
    const points = pointsOf(project.backends)
    return { defaults: recordOf(project.defaults), ...(points === undefined ? {} : { points }) }
  } catch (cause) {
    if (cause instanceof UnreadableFile) return undefined
    throw cause
  }
}

function merged(base: unknown, over: unknown): unknown {
  return isRecord(base) && isRecord(over)
    ? Object.fromEntries(
        [...new Set([...Object.keys(base), ...Object.keys(over)])].map((key) => [
          key,
          key in base && key in over ? merged(base[key], over[key]) : (over[key] ?? base[key]),
        ]),
      )
    : (over ?? base)
}

/** Fields of a challenge that can have defaults in a project. */
const general = ['author', 'category', 'value', 'visible']

/** Fields of `defaults` that are imported. */
export const importedDefaults: readonly string[] = [...general, 'containers', 'expose']

/** Adds the defaults of the project to a descriptor. */
export function addProjectDefaults(source: Source, project: Project | undefined): Source {
  if (project === undefined || !isRecord(source.value)) return source
  const { containers, expose, ...others } = project.defaults
  const { value } = source
  const top = Object.fromEntries(Object.entries(others).filter(([key]) => general.includes(key)))
  const each = (holder: unknown, base: unknown): unknown =>
    isRecord(holder) && isRecord(base)
      ? Object.fromEntries(
          Object.entries(holder).map(([name, entry]) => [
            name,
            Array.isArray(entry) ? entry.map((element) => merged(base, element)) : merged(base, entry),
          ]),
        )
      : holder
  return {
    ...source,
    value: {
      ...top,
      ...value,
      ...('containers' in value ? { containers: each(value.containers, containers) } : {}),
      ...('expose' in value ? { expose: each(value.expose, expose) } : {}),
    },
  }
}
