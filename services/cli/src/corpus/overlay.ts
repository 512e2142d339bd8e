import type { FileTree } from '@capstan/challenge-files/tree'

export function withFiles(tree: FileTree, files: ReadonlyMap<string, string>): FileTree {
  const added = [...files.keys()].filter((path) => !tree.paths.includes(path))
  return {
    // Returning the same list preserves the caches of the tree if no file is added.
    paths: added.length === 0 ? tree.paths : [...tree.paths, ...added].sort(),
    readText: (path, maxBytes) => files.get(path) ?? tree.readText(path, maxBytes),
  }
}
