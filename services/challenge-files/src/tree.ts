/** Files that an importer may read, from a folder, a zip or a checkout. Paths are relative to the root and use `/`. */
export type FileTree = Readonly<{
  /** Paths of all files, in order. Links are neither followed nor included. */
  paths: readonly string[]
  /** @throws if the file is missing, larger than `maxBytes` or not UTF-8 */
  readText: (path: string, maxBytes: number) => string
  /** Files and links that are not read, as a map from the path to the reason. The reason completes the sentence "It …". */
  leftOut?: ReadonlyMap<string, string>
}>

export function printableName(name: string): string {
  return name.replaceAll(/[\p{Cc}\p{Cf}`]/gu, '\u{fffd}').slice(0, 200)
}

export function folderOf(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

export function nameOf(path: string): string {
  return path.slice(path.lastIndexOf('/') + 1)
}

/** Resolves the path `relative` from `folder`. @returns undefined if the path is absolute or leads outside the tree */
export function resolvePath(folder: string, relative: string): string | undefined {
  if (relative.startsWith('/') || relative.includes('\0') || relative.includes('\\')) return undefined
  const parts: string[] = folder === '' ? [] : folder.split('/')
  for (const part of relative.split('/')) {
    if (part === '' || part === '.') continue
    if (part !== '..') parts.push(part)
    else if (parts.pop() === undefined) return undefined
  }
  return parts.join('/')
}

/** Joins parts of a path. Empty parts, such as the root folder, are left out. */
export function joinPath(...parts: string[]): string {
  return parts.filter((part) => part !== '').join('/')
}

/** Counts the equal names at the start of two paths. */
export function countSharedPathParts(left: string, right: string): number {
  const others = right.split('/')
  const parts = left.split('/')
  const differing = parts.findIndex((part, index) => part !== others[index])
  return differing === -1 ? parts.length : differing
}

/** Returns the path of a file or folder relative to a folder of the tree. */
export function relativeTo(folder: string, path: string): string {
  const shared = folder === '' ? 0 : countSharedPathParts(folder, path)
  const [from = [], to = []] = [folder, path].map((each) => each.split('/').slice(shared).filter(Boolean))
  return [...from.map(() => '..'), ...to].join('/') || '.'
}

export function trimSlashes(path: string): string {
  let end = path.length
  while (end > 1 && path[end - 1] === '/') end--
  return path.slice(0, end)
}

type KnownPaths = Readonly<{
  files: ReadonlySet<string>
  folders: ReadonlySet<string>
}>

const knownPaths = new WeakMap<readonly string[], KnownPaths>()

function knownIn({ paths }: FileTree): KnownPaths {
  const cached = knownPaths.get(paths)
  if (cached !== undefined) return cached
  const folders = new Set([''])
  for (const path of paths) for (let folder = folderOf(path); !folders.has(folder); folder = folderOf(folder)) folders.add(folder)
  const known = { files: new Set(paths), folders }
  knownPaths.set(paths, known)
  return known
}

export function hasFile(tree: FileTree, path: string): boolean {
  return knownIn(tree).files.has(path)
}

/** True if a folder exists. The root folder always exists. */
export function hasFolder(tree: FileTree, path: string): boolean {
  return knownIn(tree).folders.has(path)
}

/** Returns the first of the files that exists in a folder. */
export function findFirstFile(tree: FileTree, folder: string, names: readonly string[]): string | undefined {
  return names.find((name) => hasFile(tree, joinPath(folder, name)))
}

/** Returns the text of a file. @returns undefined if the file is larger than `maxBytes` or not UTF-8 */
export function readTextIfPossible(tree: FileTree, path: string, maxBytes: number): string | undefined {
  try {
    return tree.readText(path, maxBytes)
  } catch {
    return undefined
  }
}

/** Returns a tree with additional or changed text files. */
export function addTextFiles(tree: FileTree, texts: ReadonlyMap<string, string>): FileTree {
  const added = [...texts.keys()].filter((path) => !hasFile(tree, path))
  return {
    ...tree,
    // If no file is added, return the original list, because caches use this list as their key.
    paths: added.length === 0 ? tree.paths : [...tree.paths, ...added].sort(),
    readText: (path, maxBytes) => texts.get(path) ?? tree.readText(path, maxBytes),
  }
}

/** Text file that an import adds. */
export type WrittenFile = Readonly<{ path: string; text: string }>
