import { isDescriptor } from './importers/descriptor-names.ts'
import { folderOf, nameOf } from './tree.ts'

/** Safe names for content of the platform on disks and in archives. Every writer uses them. */

/** Characters that some file system refuses, and characters that change the reading direction. */
const unsafeCharacters = /[\p{Cc}/\\:*?"<>|\u{61c}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2066}-\u{2069}\u{feff}\u{fffd}]/gu

/** Names that Windows opens as devices, with any extension. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$) *(?:\.|$)/

/** Dots and blanks at the end. The lookbehind lets the match start only at the first of them, so it is linear. */
const trailing = /(?<![. ])[. ]+$/

/** Normalizes a name like tools do: without case, width, invisible characters, and dots and blanks at its end. */
function foldForTools(name: string): string {
  return [...name.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')]
    .map((character) => character.toUpperCase().toLowerCase())
    .join('')
    .replace(/^ +/, '')
    .replace(trailing, '')
}

/** True if a part of a path opens a device in some system. */
export function isDeviceName(part: string): boolean {
  return deviceName.test(foldForTools(part))
}

/** Names with a meaning for a tool that runs, builds or configures something. They match after `foldForTools`. */
const toolNames: readonly RegExp[] = [
  // Hidden files: `.git`, `.gitattributes`, `.npmrc`, `.env`, `.vscode`, `.dockerignore` and others. `git~1` is the short name of
  // `.git`.
  /^\./,
  /^git~\d/,
  /^capstan\./,
  /^rcds\.(?:ya?ml|toml)$/,
  /^challenges\b.*\.csv$/,
  /^(?:docker|container)file/,
  /\.(?:docker|container)(?:file|ignore)$/,
  /^(?:docker-|podman-)?compose\b.*\.ya?ml$/,
  /^docker-bake\b/,
  /^(?:devcontainer|kustomization|skaffold|chart)\.(?:json|ya?ml)$/,
  /^(?:gnu|bsd)?makefile/,
  /\.mak?$/,
  /^(?:just|rake|jenkins|vagrant|proc|tilt|gem|brew|pip|cap|guard|pod|task|earth|snake)file(?:$|\.(?:lock|ya?ml|toml)$)/,
  /^(?:configure|cmakelists\.txt|cmake(?:user)?presets\.json|meson\.build|sconstruct|wscript|build|build\.(?:xml|rs|zig|ninja|bazel|sbt))$/,
  /^(?:workspace|module)(?:\.bazel)?$/,
  /^(?:build|settings)\.gradle/,
  /^(?:pom\.xml|gradlew|mvnw|gradle\.properties)/,
  /^(?:package|package-lock|npm-shrinkwrap|composer|deno|bunfig|tsconfig|jsconfig|lerna|nx|turbo|biome|renovate)\.(?:jsonc?|toml|lock)$/,
  /^(?:pnpm-(?:lock|workspace)|mkdocs)\.ya?ml$/,
  /^(?:yarn\.lock|cargo\.(?:toml|lock)|go\.(?:mod|sum|work)|flake\.(?:nix|lock)|(?:default|shell)\.nix)$/,
  /\.config\.[cm]?[jt]s$/,
  /^(?:pyproject\.toml|setup\.(?:py|cfg)|requirements.*\.(?:txt|in)|conftest\.py|(?:site|user)customize\.py|tox\.ini|noxfile\.py|pytest\.ini)$/,
  /^(?:azure-pipelines|appveyor|bitbucket-pipelines|cloudbuild|buildspec)\b.*\.ya?ml$/,
  /^(?:netlify\.toml|vercel\.json|codeowners)$/,
  /\.(?:code-workspace|sublime-project|desktop|lnk|url|pth)$/,
  /^(?:desktop\.ini|autorun\.inf|thumbs\.db)$/,
]

/** True if a file name has a meaning for a tool. Content of the platform is not stored under it. */
export function isReservedName(name: string): boolean {
  const folded = foldForTools(name)
  return isDeviceName(name) || isDescriptor(folded) || toolNames.some((each) => each.test(folded))
}

/** Maximum size of a name in UTF-8. File systems allow 255 bytes, and a prefix makes a name unique. */
const maxNameBytes = 200

/** Returns the end of a name, which contains its extension, in at most `maxNameBytes`. */
function shortened(name: string): string {
  const characters = [...name]
  const encoder = new TextEncoder()
  let bytes = encoder.encode(name).length
  let from = 0
  for (; bytes > maxNameBytes; from++) bytes -= encoder.encode(characters[from]).length
  return characters.slice(from).join('').trimStart()
}

/**
 * Converts a name of the platform to a file name without folders. It is valid in every file system and has no meaning for a tool.
 * Different names may give the same result, see `freeName`.
 */
export function safeFileName(name: string): string {
  const plain = name
    .toWellFormed()
    .replaceAll(unsafeCharacters, '_')
    .trim()
    .replace(trailing, (end) => '_'.repeat(end.length))
  const short = shortened(plain)
  if (short === '') return '_'
  // A prefix makes the beginning of a name harmless, and a suffix makes its extension harmless.
  return [short, `_${short}`].find((each) => !isReservedName(each)) ?? `_${short}_`
}

/** Normalizes a path for file systems that ignore case or the composition of letters. */
export function sameName(path: string): string {
  return [...path.normalize('NFC')]
    .map((character) => {
      const upper = character.toUpperCase()
      return ([...upper].length === 1 ? upper : character).toLowerCase()
    })
    .join('')
    .normalize('NFC')
}

/**
 * Returns the name, or the first free one with a number before it.
 *
 * @param taken results of `sameName`; the returned name is added
 */
export function freeName(name: string, taken: Set<string>): string {
  let free = name
  for (let count = 2; taken.has(sameName(free)); count++) free = `${count}-${name}`
  taken.add(sameName(free))
  return free
}

/** Folders next to a challenge with the files that it hands out. Challenges are not searched in them. */
const handedOutFolders: readonly string[] = ['images', 'files']

/**
 * Returns the folder name of a challenge. A number is added if it is a device, contains files of another challenge, or is taken.
 *
 * @param name lowercase letters, digits and hyphens
 */
export function challengeFolder(name: string, isTaken: (folder: string) => boolean): string {
  let folder = name
  for (let count = 1; isDeviceName(folder) || handedOutFolders.includes(folder) || isTaken(folder); count++)
    folder = `${name}-${count}`
  return folder
}

/**
 * True if a path is below the images or files that a game or challenge hands out.
 *
 * @param owners folders that contain a `capstan.yaml`, each with the names of such folders
 */
export function isAttachedPath(path: string, owners: ReadonlyMap<string, readonly string[]>): boolean {
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder))
    if (owners.get(folderOf(folder))?.includes(nameOf(folder))) return true
  return false
}

/** Returns the folders with content of the platform next to a game or a challenge. A game hands out no files. */
export function attachedFoldersOf(kind: 'Game' | 'Challenge'): readonly string[] {
  return kind === 'Game' ? ['images'] : handedOutFolders
}
