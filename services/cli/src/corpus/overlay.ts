import type { FileTree } from '@capstan/challenge-files/tree'

/** A tree with other files in it, or with others in place of its own. */
export function withFiles(tree: FileTree, files: ReadonlyMap<string, string>): FileTree {
  const added = [...files.keys()].filter((path) => !tree.paths.includes(path))
  return {
    // The same list while no file is added: what is known of it is kept.
    paths: added.length === 0 ? tree.paths : [...tree.paths, ...added].sort(),
    readText: (path, maxBytes) => files.get(path) ?? tree.readText(path, maxBytes),
  }
}
