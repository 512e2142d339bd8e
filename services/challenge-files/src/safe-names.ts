import { hasDescriptorName } from './importers/descriptor-names.ts'
import { folderOf, nameOf } from './tree.ts'

/** Safe names for files from the platform, on disks and in archives. All code that writes such files uses these names. */

/** Characters that a file system may refuse, and characters that change the reading direction. */
const unsafeCharacters = /[\p{Cc}/\\:*?"<>|\u{61c}\u{200e}\u{200f}\u{2028}-\u{202e}\u{2066}-\u{2069}\u{feff}\u{fffd}]/gu

/** Names that Windows opens as devices, even with an extension. */
const deviceName = /^(?:con|prn|aux|nul|com\d|lpt\d|conin\$|conout\$|clock\$) *(?:\.|$)/

/**
 * Matches the dots and blanks at the end of a name in linear time. The lookbehind allows a match to start only at the first of
 * these characters.
 */
const trailing = /(?<![. ])[. ]+$/

/**
 * Normalizes a name as tools and file systems do. It ignores case, width, invisible characters, and dots and blanks at the end.
 */
function foldForTools(name: string): string {
  return [...name.normalize('NFKC').replaceAll(/\p{Default_Ignorable_Code_Point}/gu, '')]
    .map((character) => character.toUpperCase().toLowerCase())
    .join('')
    .replace(/^ +/, '')
    .replace(trailing, '')
}

/** True if Windows reserves the name for a device, such as `con` or `nul`. */
export function isDeviceName(part: string): boolean {
  return deviceName.test(foldForTools(part))
}

/**
 * Names that have a meaning for a tool that runs, builds or configures a project. The patterns expect a name that `foldForTools`
 * has normalized.
 */
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
  /^(?:just|rake|jenkins|vagrant|proc|tilt|gem|brew|pip|cap|guard|pod|task|earth|snake|grunt|gulp|jake|danger|fast|thor|berks|helm|tup|k)file(?:$|\.(?:lock|ya?ml|toml|rb|[cm]?js|ts)$)/,
  /^(?:taskfile\.dist\.ya?ml|lefthook(?:-local)?\.(?:ya?ml|jsonc?|toml)|mise\b.*\.toml|devbox\.json|devenv\.(?:nix|ya?ml)|magefile\.go)$/,
  /^(?:configure|configure\.ac|cmakelists\.txt|cmake(?:user)?presets\.json|meson\.build|sconstruct|wscript|build|build\.(?:xml|rs|zig|ninja|bazel|sbt))$/,
  /^(?:workspace|module)(?:\.(?:bazel|bzlmod))?$/,
  /^(?:buck|targets)(?:\.v2)?$/,
  /^(?:kbuild|kconfig)(?:$|\.)/,
  /^(?:dune|dune-(?:project|workspace)|mix\.(?:exs|lock)|rebar\.config|build\.(?:sc|mill|cake)|sconscript|jamroot|premake5\.lua|xmake\.lua)$/,
  /^(?:stack\.ya?ml|cabal\.project|setup\.l?hs|dub\.(?:json|sdl)|package\.swift|pubspec\.ya?ml|project\.clj|deps\.edn|shard\.yml|build\.zig\.zon)$/,
  // MSBuild and NuGet read the first group from all parent folders. Other tools read every file with one of the endings.
  /^(?:directory\.(?:build|packages|solution)\.(?:props|targets|rsp)|before\..*\.targets|after\..*\.targets|msbuild\.rsp|nuget\.config|global\.json)$/,
  /\.(?:[a-z]{2,5}proj|slnx?|gypi?|cabal|opam|gemspec|rake)$/,
  /\.(?:tf|tofu|tfvars)(?:\.json)?$/,
  /^(?:terragrunt\.hcl|ansible\.cfg|helmfile\.ya?ml|pulumi\.ya?ml|serverless\.ya?ml|wrangler\.(?:toml|jsonc?)|fly\.toml)$/,
  /^(?:build|settings)\.gradle/,
  /^(?:pom\.xml|gradlew|mvnw|gradle\.properties)/,
  /^(?:package|package-lock|npm-shrinkwrap|composer|deno|bunfig|tsconfig|jsconfig|lerna|nx|turbo|biome|renovate)\.(?:jsonc?|toml|lock)$/,
  /^(?:pnpm-(?:lock|workspace)|mkdocs)\.ya?ml$/,
  /^(?:yarn\.lock|cargo\.(?:toml|lock)|go\.(?:mod|sum|work)|flake\.(?:nix|lock)|rust-toolchain(?:\.toml)?)$/,
  /\.nix$/,
  /\.config\.[cm]?[jt]s$/,
  /^(?:pyproject\.toml|setup\.(?:py|cfg)|requirements.*\.(?:txt|in)|conftest\.py|(?:site|user)customize\.py|tox\.ini|noxfile\.py|pytest\.ini)$/,
  /^(?:manage\.py|dodo\.py|fabfile\.py|tasks\.py|pyvenv\.cfg|(?:uv|poetry|pdm)\.(?:toml|lock))$/,
  /^(?:azure-pipelines|appveyor|bitbucket-pipelines|cloudbuild|buildspec)\b.*\.ya?ml$/,
  /^(?:netlify\.toml|vercel\.json|codeowners)$/,
  /\.(?:code-workspace|sublime-project|desktop|lnk|url|_?pth)$/,
  /^(?:desktop\.ini|autorun\.inf|thumbs\.db)$/,
]

/** True if a file name has a meaning for a tool. No file from the platform is stored under such a name. */
export function isReservedName(name: string): boolean {
  const folded = foldForTools(name)
  return isDeviceName(name) || hasDescriptorName(folded) || toolNames.some((each) => each.test(folded))
}

/**
 * Maximum size of a name, in bytes of UTF-8. File systems allow 255 bytes, so there is room for a prefix that makes the name
 * unique.
 */
const maxNameBytes = 200

/** Returns the end of a name, including its extension, in at most `maxNameBytes`. */
function shortened(name: string): string {
  const characters = [...name]
  const encoder = new TextEncoder()
  let bytes = encoder.encode(name).length
  let from = 0
  for (; bytes > maxNameBytes; from++) bytes -= encoder.encode(characters[from]).length
  return characters.slice(from).join('').trimStart()
}

/**
 * Converts a name on the platform to a file name without folders. The result is valid in every file system and has no meaning for
 * a tool. Different names may have the same result, see `chooseFreeName`.
 */
export function safeFileName(name: string): string {
  const plain = name
    .toWellFormed()
    .replaceAll(unsafeCharacters, '_')
    .trim()
    .replace(trailing, (end) => '_'.repeat(end.length))
  const short = shortened(plain)
  if (short === '') return '_'
  // A name can be reserved because of its start or its extension. A prefix changes the start. If this is not enough, a suffix also
  // changes the extension.
  return [short, `_${short}`].find((each) => !isReservedName(each)) ?? `_${short}_`
}

/** Normalizes a path for file systems that ignore case or Unicode composition. */
export function normalizePathCase(path: string): string {
  return [...path.normalize('NFC')]
    .map((character) => {
      const upper = character.toUpperCase()
      return ([...upper].length === 1 ? upper : character).toLowerCase()
    })
    .join('')
    .normalize('NFC')
}

/** Used names as results of `normalizePathCase`. Each value is the next number for a file with the same name. */
export type TakenNames = Map<string, number>

/**
 * Returns the name if it is free. Otherwise, returns the name with a number as prefix, such as `2-name`.
 * @param taken names that are used; the returned name is added
 */
export function chooseFreeName(name: string, taken: TakenNames): string {
  const key = normalizePathCase(name)
  let free = name
  // Continue after the last used number, because thousands of files may have the same name.
  let count = taken.get(key) ?? 2
  for (; taken.has(normalizePathCase(free)); count++) free = `${count}-${name}`
  taken.set(normalizePathCase(free), 2)
  if (free !== name) taken.set(key, count)
  return free
}

/**
 * Subfolders of a challenge. `images` contains the images in its texts, and `files` contains the files that players download. A
 * `capstan.yaml` in these subfolders does not describe a challenge.
 */
const handedOutFolders: readonly string[] = ['images', 'files']

/**
 * Returns a name for the folder of a challenge. If `name` is reserved or already used, the function appends a number.
 * @param name lowercase letters, digits and hyphens
 */
export function chooseChallengeFolder(name: string, isTaken: (folder: string) => boolean): string {
  let folder = name
  for (let count = 1; isDeviceName(folder) || handedOutFolders.includes(folder) || isTaken(folder); count++)
    folder = `${name}-${count}`
  return folder
}

/**
 * True if a path is in a subfolder for images, or for files that players download.
 * @param owners map from each folder with a `capstan.yaml` to the names of these subfolders
 */
export function isAttachedPath(path: string, owners: ReadonlyMap<string, readonly string[]>): boolean {
  for (let folder = folderOf(path); folder !== ''; folder = folderOf(folder))
    if (owners.get(folderOf(folder))?.includes(nameOf(folder))) return true
  return false
}

/**
 * Returns the names of the subfolders for images, and for files that players download. A game has only the subfolder for images.
 */
export function attachedFoldersOf(kind: 'Game' | 'Challenge'): readonly string[] {
  return kind === 'Game' ? ['images'] : handedOutFolders
}
