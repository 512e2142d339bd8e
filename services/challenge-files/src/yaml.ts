import {
  type Alias,
  type Document,
  isAlias,
  isCollection,
  isMap,
  isPair,
  isScalar,
  isSeq,
  LineCounter,
  type Node,
  type Pair,
  parseAllDocuments,
  type Scalar,
  visit,
  type YAMLMap,
} from 'yaml'
import type { FileTree } from './tree.ts'
import { indentQuotedLines } from './yaml-quotes.ts'

export const maxDescriptorBytes = 1024 * 1024

/** Maximum number of aliases in a file. Authors use far fewer, and the parser needs quadratic time to resolve them. */
const maxAliases = 1_000

/** Maximum total size of the values that the aliases of a file stand for. */
const maxAliasedMb = 4

export type FieldPath = readonly (string | number)[]

export type Source = Readonly<{
  file: string
  value: unknown
  lineOf: (path: FieldPath) => number
  /** Returns the text of a scalar as it is in the file, without quotes. @returns undefined for other values */
  textOf?: (path: FieldPath) => string | undefined
  /** Returns the path in the file for a path in `value`. Absent if both are the same. */
  pathOf?: (path: FieldPath) => FieldPath
  /** Tags that no schema of YAML has. The values after them are read as if they had no tag. */
  unknownTags?: readonly UnknownTag[]
  /** Keys that occur again in the same mapping. The last value of a key applies. */
  repeatedKeys?: readonly Readonly<{ line: number; key: string }>[]
}>

export type UnknownTag = Readonly<{ line: number; tag: string }>

/** Error for a file that cannot be parsed at all. */
export class UnreadableFile extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

/**
 * Cache of the pairs of each map, by key, so that a map is searched only once. If a map has a duplicate key, the cache contains the
 * first pair.
 */
type KnownPairs = WeakMap<YAMLMap, ReadonlyMap<string, Pair>>

/** Returns the name of a key. For the key `<<` of merged maps, the parser returns a symbol. */
function nameOfKey({ value, source }: Scalar): string {
  return typeof value === 'symbol' ? (source ?? '') : String(value)
}

function childOf(node: unknown, key: string | number, known: KnownPairs): unknown {
  if (!isMap(node)) return isSeq(node) && typeof key === 'number' ? node.items[key] : undefined
  let pairs = known.get(node)
  if (pairs === undefined) {
    const named = node.items.flatMap((pair) => (isScalar(pair.key) ? [[nameOfKey(pair.key), pair] as const] : []))
    pairs = new Map(named.reverse())
    known.set(node, pairs)
  }
  return pairs.get(String(key))
}

/** Maximum number of duplicate keys of a file that are reported. */
const maxRepeated = 20

/**
 * Returns the first duplicate keys. The check of the parser would compare all pairs of keys, which takes minutes for many keys.
 */
function repeatedKeys(document: Document): Scalar[] {
  const repeated: Scalar[] = []
  visit(document, {
    Map: (_, { items }) => {
      const seen = new Set<unknown>()
      for (const { key } of items) {
        // The key `<<` merges maps, and may occur several times.
        if (!isScalar(key) || typeof key.value === 'symbol') continue
        if (seen.has(key.value)) repeated.push(key)
        seen.add(key.value)
        if (repeated.length >= maxRepeated) return visit.BREAK
      }
      return undefined
    },
  })
  return repeated
}

/**
 * Checks the aliases of a file before the parser resolves them. Merge keys copy the value of each alias, so a small file could need
 * much memory.
 * @throws UnreadableFile if there are too many aliases, or if their values are too large or contain themselves
 */
function checkAliases(documents: readonly Document[], lines: LineCounter): void {
  const sizes = new Map<string, number>()
  let count = 0
  let total = 0
  const sizeOfAlias = (alias: Alias): number => {
    const size = sizes.get(alias.source) ?? 0
    const refuse = (why: string): never => {
      throw new UnreadableFile(lines.linePos(alias.range?.[0] ?? 0).line, why)
    }
    count += 1
    total += size
    if (count > maxAliases) return refuse(`The file has more than ${maxAliases} aliases.`)
    if (size === Number.POSITIVE_INFINITY) return refuse(`The value of the alias \`${alias.source}\` contains itself.`)
    if (total > maxAliasedMb * 2 ** 20) return refuse(`The values of all aliases together are larger than ${maxAliasedMb} MB.`)
    return size
  }
  const sizeOf = (node: unknown): number => {
    if (isPair(node)) return sizeOf(node.key) + sizeOf(node.value)
    if (isAlias(node)) return sizeOfAlias(node)
    if (!isCollection(node) && !isScalar(node)) return 0
    // Infinity marks a value whose size is not known yet. `sizeOfAlias` uses this mark to recognize a value that contains itself.
    if (node.anchor !== undefined) sizes.set(node.anchor, Number.POSITIVE_INFINITY)
    const size = isScalar(node) ? (node.source?.length ?? 0) + 1 : node.items.reduce<number>((sum, item) => sum + sizeOf(item), 1)
    if (node.anchor !== undefined) sizes.set(node.anchor, size)
    return size
  }
  for (const { contents } of documents) {
    sizes.clear()
    sizeOf(contents)
  }
}

/**
 * Plain scalars that PyYAML reads as numbers or booleans. Our parser also reads other scalars as numbers or booleans, such as
 * `1e3`, `089`, `.` and `y`.
 */
const plainNumber =
  /^(?:[-+]?(?:0b[01_]+|0x[\da-fA-F_]+|0[0-7_]*|[1-9][\d_]*(?::[0-5]?\d)*(?:\.[\d_]*)?|\d[\d_]*\.[\d_]*(?:[eE][-+]\d+)?|\.(?:inf|Inf|INF))|\.\d[\d_]*(?:[eE][-+]\d+)?|\.(?:nan|NaN|NAN))$/
const plainBoolean = /^(?:yes|no|true|false|on|off)$/i

function isText({ value, source = '' }: Scalar): boolean {
  return (typeof value === 'number' && !plainNumber.test(source)) || (typeof value === 'boolean' && !plainBoolean.test(source))
}

/** Restores texts that our YAML parser has wrongly read as numbers or booleans. */
function restoreTexts(document: Document): void {
  visit(document, {
    Scalar: (_, node) => {
      if (isText(node)) node.value = node.source
    },
  })
}

function parse(text: string, version: '1.1' | '1.2') {
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, {
    version,
    merge: version === '1.1',
    lineCounter: lines,
    uniqueKeys: false,
  })
  return { documents: Array.isArray(documents) ? documents : [], lines }
}

/** Parses a text like the tools of other platforms, which do not require indented continuation lines in quoted texts. */
function parseForeign(text: string) {
  const parsed = parse(text, '1.1')
  if (parsed.documents.every(({ errors }) => errors.length === 0)) return parsed
  const mended = parse(indentQuotedLines(text), '1.1')
  return mended.documents.every(({ errors }) => errors.length === 0) ? mended : parsed
}

/**
 * Reads the documents of a YAML file.
 * @param version `1.1` reads files like the tools of other platforms. It supports merge keys, reads `yes` and `on` as booleans,
 * uses the later of two duplicate keys, and accepts unknown tags
 * @throws UnreadableFile
 */
export function readYaml(tree: FileTree, file: string, version: '1.1' | '1.2'): Source[] {
  const text = tree.readText(file, maxDescriptorBytes)
  const { documents, lines } = version === '1.1' ? parseForeign(text) : parse(text, version)
  checkAliases(documents, lines)
  return documents.map((document) => {
    const isTag = (code: string): boolean => version === '1.1' && code === 'TAG_RESOLVE_FAILED'
    const [error] = [...document.errors, ...document.warnings].filter(({ code }) => !isTag(code))
    const unknownTags = document.warnings.map(({ linePos, pos }) => ({
      line: linePos?.[0].line ?? 1,
      tag: text.slice(pos[0], pos[1]),
    }))
    if (error !== undefined) throw new UnreadableFile(error.linePos?.[0].line ?? 1, error.message.split('\n', 1)[0] ?? '')
    const repeated = repeatedKeys(document).map((key) => ({ line: lines.linePos(key.range?.[0] ?? 0).line, key: nameOfKey(key) }))
    if (version === '1.2' && repeated[0] !== undefined) throw new UnreadableFile(repeated[0].line, 'Map keys must be unique')
    if (version === '1.1') restoreTexts(document)
    let value: unknown
    try {
      // Disable the alias limit of the parser, because `checkAliases` has already checked the aliases.
      value = document.toJS({ maxAliasCount: -1 })
    } catch (cause) {
      throw new UnreadableFile(1, cause instanceof Error ? cause.message : String(cause))
    }
    const known: KnownPairs = new WeakMap()
    const lineOf = (path: FieldPath): number => {
      let place: number | undefined
      let node: unknown = document.contents
      for (const key of path) {
        const child = childOf(node, key, known)
        if (child === undefined) break
        const pair = child as { key?: Node; value?: unknown; range?: Node['range'] }
        place = (isMap(node) ? pair.key?.range?.[0] : pair.range?.[0]) ?? place
        node = isMap(node) ? pair.value : child
      }
      return place === undefined ? 1 : lines.linePos(place).line
    }
    const resolved = (node: unknown): unknown => (isAlias(node) ? node.resolve(document) : node)
    const nodeAt = (node: unknown, key: string | number): unknown => {
      const child = childOf(node, key, known)
      if (!isMap(node)) return resolved(child)
      if (child !== undefined) return resolved((child as Pair).value)
      const merged = resolved((childOf(node, '<<', known) as Pair | undefined)?.value)
      return (isSeq(merged) ? merged.items.map(resolved) : [merged])
        .filter(isMap)
        .map((map) => resolved((childOf(map, key, known) as Pair | undefined)?.value))
        .find((found) => found !== undefined)
    }
    const textOf = (path: FieldPath): string | undefined => {
      let node: unknown = document.contents
      for (const key of path) node = nodeAt(node, key)
      return isScalar(node) ? node.source : undefined
    }
    return {
      ...{ file, value, lineOf, textOf },
      ...(unknownTags.length > 0 && { unknownTags }),
      ...(repeated.length > 0 && { repeatedKeys: repeated }),
    }
  })
}
