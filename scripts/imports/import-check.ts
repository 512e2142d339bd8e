import path from 'node:path'
import type { FileAnalysis, Reading } from './analyze-file.ts'

/** Package, with the rules for the imports of its files, including tests. */
type Package = Readonly<{
  package: string
  folder: string
  mayImport: readonly string[] | 'all'
  /**
   * Folders of `src` from the lowest to the highest layer. Files in a folder may import files of this folder and of
   * lower folders. Files that are directly in `src` may import files of all these folders.
   */
  layers?: readonly string[]
  why: string
}>

/**
 * Zone: files or external modules with additional rules. A file belongs to the first zone that matches it. Tests belong to no zone.
 */
type Zone = Readonly<{
  zone: string
  files?: readonly string[]
  /** External packages, including all their modules. */
  modules?: readonly string[]
  /**
   * Zones and packages that this zone may import. If undefined, the zone may import everything that its package may import. Files
   * without a zone form the zone `others`.
   */
  mayImport?: readonly string[]
  /** Zones that may import this zone. If undefined, all zones may import it. */
  onlyFor?: readonly string[]
  /** Folder whose subfolders must not import each other. */
  apartBelow?: string
  /** True if a file of this zone may be imported only by files in the same folder. */
  ownFolderOnly?: true
  why: string
}>

/** Rule about a kind of global state, such as clock or environment. Only the listed places may read it. */
type ReadingRule = Readonly<{
  reading: Reading
  why: string
  places: readonly Readonly<{ files: readonly string[]; why: string }>[]
}>

export type Rules = Readonly<{
  packages: readonly Package[]
  zones: readonly Zone[]
  readings: readonly ReadingRule[]
  /** Patterns of tests and test tools, which may import and read everything. */
  tests: readonly string[]
}>

export type Fault = Readonly<{
  line: number
  text: string
}>

function isIn(globs: readonly string[], file: string): boolean {
  return globs.some((glob) => path.matchesGlob(file, glob))
}

/** Returns the folder directly below `parent` that contains a file. */
function folderBelow(parent: string, file: string): string | undefined {
  return path.relative(parent, file).split(path.sep)[0]
}

/** True if `target` is in a higher layer of the package than `file`. */
function importsUpwards({ folder, layers }: Package, file: string, target: string): boolean {
  if (!layers) return false
  const [from, to] = [file, target].map((one) => layers.indexOf(folderBelow(`${folder}/src`, one) ?? ''))
  return from !== undefined && to !== undefined && from !== -1 && (to === -1 || to > from)
}

/** Returns the imported file relative to the root, or undefined for an external module. */
function targetOf(packages: readonly Package[], file: string, module: string): string | undefined {
  // Ignore the part of a module name after a question mark, because this part is an option for Vite.
  const [bare = ''] = module.split('?')
  if (bare.startsWith('.')) return path.join(path.dirname(file), bare)
  const [scope, name, ...rest] = bare.split('/')
  if (scope !== '@capstan') return undefined
  const own = packages.find((one) => one.package === name)
  return own ? path.join(own.folder, 'src', `${rest.join('/')}.ts`) : bare
}

/** Returns one pattern for each combination of the alternatives in braces, which may be nested. */
function withoutBraces(glob: string): string[] {
  const [whole, inner] = /\{([^{}]*)\}/.exec(glob) ?? []
  if (whole === undefined || inner === undefined) return [glob]
  return inner.split(',').flatMap((choice) => withoutBraces(glob.replace(whole, () => choice)))
}

/** Returns file patterns that match no file. Alternatives in braces count as separate patterns. */
export function findUnmatchedPatterns({ packages, zones, readings, tests }: Rules, files: readonly string[]): string[] {
  const globs = [
    ...packages.flatMap(({ folder, layers = [] }) => [`${folder}/**`, ...layers.map((layer) => `${folder}/src/${layer}/**`)]),
    ...zones.flatMap((zone) => zone.files ?? []),
    ...readings.flatMap(({ places }) => places.flatMap((place) => place.files)),
    ...tests,
  ]
  return [...new Set(globs.flatMap(withoutBraces))].filter((glob) => !files.some((file) => path.matchesGlob(file, glob)))
}

/** Creates a function that checks the imports of one file, and its use of global state. */
export function createImportCheck({ packages, zones, readings, tests }: Rules) {
  const packageOf = (file: string) => packages.find(({ folder }) => file.startsWith(`${folder}/`))
  const isTest = (file: string) => isIn(tests, file)
  const zoneOf = (file: string) => zones.find(({ files }) => files && isIn(files, file))
  const zoneOfModule = (module: string) =>
    zones.find(({ modules }) => modules?.some((name) => module === name || module.startsWith(`${name}/`)))

  const refuse = (file: string, target: string): string | undefined => {
    const [home, other] = [packageOf(file), packageOf(target)]
    if (!home) return 'is not in any package of scripts/imports/rules.ts'
    if (!other) return `imports ${target}, which is not in any package of scripts/imports/rules.ts`
    if (home !== other && home.mayImport !== 'all' && !home.mayImport.includes(other.package))
      return `imports ${target}: ${home.package} must not import ${other.package}. ${home.why}`
    if (isTest(file)) return undefined
    if (home === other && importsUpwards(home, file, target))
      return `imports ${target}: an area of ${home.package} imports only areas below it: ${home.layers?.join(' < ')}.`
    const [zone, aim] = [zoneOf(file), zoneOf(target)]
    const part = home === other ? (aim?.zone ?? 'others') : other.package
    if (zone?.mayImport && zone !== aim && !zone.mayImport.includes(part))
      return `imports ${target}: ${zone.zone} must not import ${part}. ${zone.why}`
    if (!aim) return undefined
    if (aim.onlyFor && aim !== zone && !aim.onlyFor.includes(zone?.zone ?? 'others'))
      return `imports ${target}: ${aim.zone} are only for ${aim.onlyFor.join(', ')}. ${aim.why}`
    if (aim.ownFolderOnly && path.dirname(file) !== path.dirname(target))
      return `imports ${target}: ${aim.zone} are used in their own folder only. ${aim.why}`
    const { apartBelow } = aim
    if (apartBelow && zone === aim && folderBelow(apartBelow, file) !== folderBelow(apartBelow, target))
      return `imports ${target}: ${aim.zone} do not import each other. ${aim.why}`
    return undefined
  }

  const refuseModule = (file: string, module: string): string | undefined => {
    const aim = zoneOfModule(module)
    if (!aim?.onlyFor || isTest(file) || aim.onlyFor.includes(zoneOf(file)?.zone ?? 'others')) return undefined
    return `imports ${module}: ${aim.zone} are only for ${aim.onlyFor.join(', ')}. ${aim.why}`
  }

  return (file: string, read: FileAnalysis): Fault[] => {
    const ofImports = read.imports.map(({ module, line }) => {
      const target = targetOf(packages, file, module)
      return { line, text: target === undefined ? refuseModule(file, module) : refuse(file, target) }
    })
    const ofReadings = read.readings.map(({ what, line }) => {
      const rule = readings.find(({ reading }) => reading === what)
      const isAllowed = !rule || isTest(file) || rule.places.some(({ files }) => isIn(files, file))
      return { line, text: isAllowed ? undefined : `reads the ${what}. ${rule.why}` }
    })
    return [...ofImports, ...ofReadings].flatMap(({ line, text }) => (text === undefined ? [] : [{ line, text }]))
  }
}
