import { findCapstanFilePaths } from '../format/find.ts'
import { countSharedPathParts, type FileTree, folderOf, nameOf, readTextIfPossible } from '../tree.ts'
import { maxDescriptorBytes } from '../yaml.ts'
import type { Imported } from './dialect.ts'
import { nameFromTitle } from './names.ts'

/** Assigns names to imported challenges. If a challenge is imported again, the challenge retains its name. */

type KnownFile = Readonly<{
  /** Path of the `capstan.yaml`. */
  target: string
  name: string
  title: string
}>

/**
 * Returns the comment at the top of an imported `capstan.yaml`. The comment contains the path of the descriptor, so that a later
 * import finds this `capstan.yaml`.
 */
export function createImportComment(file: string): string {
  return ` Imported from ${file}`
}

function plainScalar(text: string, key: string): string {
  const start = `${key}: `
  const line = text.split('\n').find((each) => each.startsWith(start)) ?? ''
  const value = line.slice(start.length).trim()
  return value.replace(/^(["'])(.*)\1$/, '$2')
}

function readFile(tree: FileTree, target: string): (KnownFile & { readonly from: string }) | undefined {
  const text = readTextIfPossible(tree, target, maxDescriptorBytes)
  if (text === undefined) return undefined
  const from = /^# Imported from (.+)$/m.exec(text)?.[1]?.trim() ?? ''
  return { target, name: plainScalar(text, 'name'), title: plainScalar(text, 'title'), from }
}

/**
 * Returns the `capstan.yaml` files by the path of the descriptor that they were imported from. Files that were not imported are
 * under the key `''`.
 */
export function mapImportedFiles(tree: FileTree): Map<string, KnownFile[]> {
  const found = findCapstanFilePaths(tree).flatMap((path) => readFile(tree, path) ?? [])
  return Map.groupBy(found, ({ from }) => from)
}

type Prerequisites = Readonly<{
  /** Map from the name in a descriptor to the challenges with this name. The import may have renamed these challenges. */
  renamed: ReadonlyMap<string, readonly Imported[]>
  /** Map from the name that follows from a title to the challenges with this title. */
  titled: ReadonlyMap<string, readonly Imported[]>
  /** Names of challenges in the tree that this import does not write. */
  others: ReadonlySet<string>
}>

/**
 * Replaces the titles in lists of prerequisites by the final names of these challenges. If several challenges have the title, the
 * challenge with the nearest path is used. Drops and reports prerequisites that the tree does not contain, because the platform
 * refuses a challenge with an unknown prerequisite.
 */
function resolvePrerequisites(imported: readonly Imported[], { renamed, titled, others: known }: Prerequisites): Imported[] {
  return imported.map((each) => {
    const { challenge, file } = each
    if (challenge?.unlock?.after === undefined) return each
    const findings = [...each.findings]
    const after = challenge.unlock.after.flatMap((name) => {
      const isOther = (other: Imported): boolean => other.file !== file || other.challenge?.name !== challenge.name
      const [alike = []] = [renamed, titled]
        .map((map) => (map.get(name) ?? []).filter(isOther))
        .filter(({ length }) => length > 0)
      if (alike.length === 0 && !known.has(name)) {
        const why = `No challenge here has the name \`${name}\`, so it is not a prerequisite.`
        findings.push({
          file,
          line: 1,
          field: 'unlock.after',
          outcome: 'left-out',
          why,
          advice: 'Add it when the challenge exists.',
        })
        return []
      }
      const byShared = Map.groupBy(alike, (other) => countSharedPathParts(other.file, file))
      const [nearest, ...others] = byShared.get(Math.max(...byShared.keys())) ?? []
      const own = nearest?.challenge?.name ?? name
      const why = `Several challenges have this title, so the prerequisite is \`${own}\`.`
      if (others.length > 0)
        findings.push({ file, line: 1, field: 'unlock.after', outcome: 'converted', why, advice: 'Check the prerequisites.' })
      return [own]
    })
    const { unlock, ...others } = challenge
    const isEmpty = after.length === 0 && unlock.points === undefined
    return { ...each, findings, challenge: isEmpty ? others : { ...others, unlock: { ...unlock, after } } }
  })
}

/**
 * Gives each challenge a stable name: the name in the `capstan.yaml` of an earlier import, or else the name in the descriptor. If
 * several challenges have the same name, the name comes from the path.
 */
export function assignStableChallengeNames(tree: FileTree, imported: readonly Imported[]): Imported[] {
  const known = mapImportedFiles(tree)
  const countOfFile = Map.groupBy(imported, ({ file }) => file)
  const knownOf = ({ file, challenge }: Imported): string | undefined => {
    const before = known.get(file) ?? []
    const only = before.length === 1 && countOfFile.get(file)?.length === 1 ? before[0] : undefined
    const name = (before.find(({ title }) => title === challenge?.title) ?? only)?.name
    return name === '' ? undefined : name
  }
  const owners = new Map(imported.map((each) => [each, knownOf(each)]))
  const mine = new Set(imported.flatMap((each) => known.get(each.file) ?? []))
  const foreign = [...known.values()].flat().filter((each) => !mine.has(each))
  const isReplaced = (folder: string) => imported.some(({ file }) => folderOf(file) === folder)
  const taken = new Set([
    ...[...owners.values()].filter((name) => name !== undefined),
    ...foreign.filter(({ target }) => !isReplaced(folderOf(target))).map(({ name }) => name),
  ])
  const wanted = Map.groupBy(
    imported.filter((each) => owners.get(each) === undefined),
    ({ challenge }) => challenge?.name,
  )
  const named = imported.map((each) => {
    const { challenge, file } = each
    if (challenge === undefined) return each
    const { name } = challenge
    const before = owners.get(each)
    if (before !== undefined) return before === name ? each : { ...each, challenge: { ...challenge, name: before } }
    const folder = folderOf(file)
    const path = nameFromTitle(nameOf(folder)) === name ? folderOf(folder) : folder
    const isShared = taken.has(name) || (wanted.get(name)?.length ?? 0) > 1
    const first = isShared && path !== '' ? nameFromTitle(`${name} ${path}`) : name
    let own = first
    for (let count = 2; taken.has(own); count++) own = `${first.slice(0, 58)}-${count}`
    taken.add(own)
    return own === name ? each : { ...each, challenge: { ...challenge, name: own } }
  })
  const byOld = Map.groupBy(
    named.map((each, index) => ({ each, old: imported[index]?.challenge?.name ?? '' })),
    ({ old }) => old,
  )
  return resolvePrerequisites(named, {
    renamed: new Map([...byOld].map(([old, all]) => [old, all.map(({ each }) => each)])),
    titled: Map.groupBy(named, ({ challenge }) => nameFromTitle(challenge?.title ?? '')),
    others: new Set(foreign.map(({ name }) => name)),
  })
}
