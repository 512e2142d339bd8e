import { type FileTree, folderOf, nameOf, readTextIfPossible } from '../tree.ts'
import { maxDescriptorBytes } from '../yaml.ts'

const documented = /^(?:(?:challenge|chall|ctfcli|kona|klodd)\.ya?ml|(?:challenge|kona)\.toml)$/
const others =
  /^(?:(?:chall?|challenges?|meta|metadata|problem|task)\.(?:ya?ml|json)|(?:chall|challenges|config)\.toml|ctfd\.json)$/
const kctfText = /^metadata\.ya?ml$/
const kctfFile = /^challenge\.ya?ml$/

/**
 * True if only descriptors have such a file name. An import reports a file with such a name even if the format of the file is
 * unknown.
 */
export function hasDescriptorName(path: string): boolean {
  const name = nameOf(path).toLowerCase()
  return documented.test(name) || /^(?:(?:chall?|challenge-\w{1,32}|problem)\.(?:ya?ml|json|toml)|problem\.md)$/.test(name)
}

const flagKey = /^[ \t]*flags?[ \t]*[:=]|["']flags?["']\s*[:=]|^[ \t]*\[\[?(?:\w{1,32}\.)?flags?\]/m

/**
 * True if a file has a field for flags. If a possible descriptor with such a field is not imported, the import reports the file.
 */
export function hasFlagKey(tree: FileTree, path: string): boolean {
  return flagKey.test(readTextIfPossible(tree, path, maxDescriptorBytes) ?? '')
}

const kubernetesObject = /^apiVersion *: *["']?(?:klodd\.tjcsec\.club|kctf\.dev)\//m

/** For each format, the fields that a descriptor with any file name has. */
const fieldsOfFormats: Readonly<Record<string, readonly RegExp[]>> = {
  yml: [/^name *:/m, /^flags? *:/m, /^(?:category|points|type|value) *:/m],
  json: [/"(?:name|title)"\s*:/, /"flags?"\s*:/, /"(?:category|points|type|value)"\s*:/],
  toml: [/^[ \t]*(?:name|title) *=/m, flagKey, /^[ \t]*(?:category|points(?:\.\w{1,32})?|type|value) *=/m],
}

/**
 * True if a file contains the fields of a descriptor. The file name does not matter, because tools of other platforms accept any
 * file name.
 */
function looksLikeOne(tree: FileTree, path: string, fields: readonly RegExp[]): boolean {
  const text = readTextIfPossible(tree, path, maxDescriptorBytes) ?? ''
  return fields.every((each) => each.test(text)) || (kubernetesObject.test(text) && /^kind *: *["']?Challenge/m.test(text))
}

const known = new WeakMap<readonly string[], readonly string[]>()

/** Returns the files of a tree that may be descriptors, by their names or contents. */
export function findDescriptors(tree: FileTree): readonly string[] {
  const cached = known.get(tree.paths)
  if (cached !== undefined) return cached
  const folders = new Set(tree.paths.filter((path) => kctfFile.test(nameOf(path))).map(folderOf))
  const found = tree.paths.filter((path) => {
    const name = nameOf(path).toLowerCase()
    // `metadata.yaml` is not a separate descriptor: it is read together with the kCTF descriptor next to it.
    if (kctfText.test(name) && folders.has(folderOf(path))) return false
    if (documented.test(name) || others.test(name)) return true
    const [, format = ''] = /\.(ya?ml|json|toml)$/.exec(name) ?? []
    const fields = fieldsOfFormats[format.replace('yaml', 'yml')]
    if (fields === undefined || /^(?:capstan|rcds)\.|compose\./.test(name) || /(?:^|\/)\./.test(path)) return false
    return looksLikeOne(tree, path, fields)
  })
  known.set(tree.paths, found)
  return found
}
