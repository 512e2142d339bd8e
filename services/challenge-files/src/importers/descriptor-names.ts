import { type FileTree, folderOf, nameOf, readTextIfPossible } from '../tree.ts'

const documented = /^(?:(?:challenge|chall|ctfcli|kona|klodd)\.ya?ml|(?:challenge|kona)\.toml)$/
const others = /^(?:(?:chall?|challenge|meta|metadata|problem|task)\.(?:ya?ml|json)|(?:chall|config)\.toml|ctfd\.json)$/
const kctfText = /^metadata\.ya?ml$/
const kctfFile = /^challenge\.ya?ml$/

/** True if only descriptors have such a file name. An import reports files with such a name even if their format is unknown. */
export function hasDescriptorName(path: string): boolean {
  return documented.test(nameOf(path)) || /^(?:chall?|challenge-\w{1,32}|problem)\.(?:ya?ml|json|toml)$/.test(nameOf(path))
}

const maxBytes = 64 * 1024
/** Maximum number of files that are read only to detect their format. */
const maxReads = 10_000

/**
 * True if a YAML file contains the fields of ctfcli or rcds. Its name does not matter, because these tools accept any file name.
 */
function looksLikeOne(tree: FileTree, path: string): boolean {
  const text = readTextIfPossible(tree, path, maxBytes) ?? ''
  return /^name *:/m.test(text) && /^flags? *:/m.test(text) && /^(?:category|points|type|value) *:/m.test(text)
}

const known = new WeakMap<readonly string[], readonly string[]>()

/** Returns the files of a tree that may be descriptors, by their names or contents. */
export function findDescriptors(tree: FileTree): readonly string[] {
  const cached = known.get(tree.paths)
  if (cached !== undefined) return cached
  const folders = new Set(tree.paths.filter((path) => kctfFile.test(nameOf(path))).map(folderOf))
  let reads = 0
  const found = tree.paths.filter((path) => {
    const name = nameOf(path)
    // `metadata.yaml` is not a separate descriptor: it is read together with the kCTF descriptor next to it.
    if (kctfText.test(name) && folders.has(folderOf(path))) return false
    if (documented.test(name) || others.test(name)) return true
    if (!/\.ya?ml$/.test(name) || /^(?:capstan|rcds)\.|compose\./.test(name) || /(?:^|\/)\./.test(path)) return false
    return reads++ < maxReads && looksLikeOne(tree, path)
  })
  known.set(tree.paths, found)
  return found
}
