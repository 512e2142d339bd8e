import type { FileTree } from '@capstan/challenge-files/tree'

export function withFiles(tree: FileTree, files: ReadonlyMap<string, string>): FileTree {
  const added = [...files.keys()].filter((path) => !tree.paths.includes(path))
  return {
    // If no file is added, return the same list, because caches use it as their key.
    paths: added.length === 0 ? tree.paths : [...tree.paths, ...added].sort(),
    readText: (path, maxBytes) => files.get(path) ?? tree.readText(path, maxBytes),
  }
}
