import { type Document, isMap, isScalar, isSeq, LineCounter, type Node, parseAllDocuments, visit } from 'yaml'
import type { FileTree } from './tree.ts'

/** Of a file that describes a challenge. */
export const descriptorMaxBytes = 1024 * 1024

/** Aliases that may be resolved in one file: far above what people write, far below what a bomb needs. */
const maxAliasCount = 1_000

export type FieldPath = readonly (string | number)[]

/** One YAML document of a file. */
export interface Source {
  readonly file: string
  readonly value: unknown
  readonly lineOf: (path: FieldPath) => number
}

/** A file that cannot be read at all. */
export class UnreadableFile extends Error {
  readonly line: number

  constructor(line: number, message: string) {
    super(message)
    this.line = line
  }
}

const childOf = (node: unknown, key: string | number): unknown => {
  if (isMap(node)) return node.items.find((pair) => isScalar(pair.key) && String(pair.key.value) === String(key))
  return isSeq(node) && typeof key === 'number' ? node.items[key] : undefined
}

/** The parser takes a plain `.` for a number of YAML 1.1; everybody else for a text, as in `build: .`. */
const keepDots = (document: Document): void =>
  visit(document, {
    Scalar: (_, node) => {
      if (typeof node.value === 'number' && node.source !== undefined && /^[-+]?\.?$/.test(node.source)) node.value = node.source
    },
  })

/**
 * Documents of a YAML file.
 *
 * @param version `1.1` reads it as the tools of other platforms do: with merge keys, `yes` and `on` as switches, and of two keys that
 *   are the same the later
 * @throws UnreadableFile
 */
export const readYaml = (tree: FileTree, file: string, version: '1.1' | '1.2'): Source[] => {
  const text = tree.readText(file, descriptorMaxBytes)
  const lines = new LineCounter()
  const documents = parseAllDocuments(text, {
    version,
    merge: version === '1.1',
    lineCounter: lines,
    uniqueKeys: version === '1.2',
  })
  if (!Array.isArray(documents)) return []
  return documents.map((document) => {
    const [error] = [...document.errors, ...document.warnings]
    if (error !== undefined) throw new UnreadableFile(error.linePos?.[0].line ?? 1, error.message.split('\n', 1)[0] ?? '')
    keepDots(document)
    let value: unknown
    try {
      value = document.toJS({ maxAliasCount })
    } catch (cause) {
      throw new UnreadableFile(1, cause instanceof Error ? cause.message : String(cause))
    }
    const lineOf = (path: FieldPath): number => {
      let place: number | undefined
      let node: unknown = document.contents
      for (const key of path) {
        const child = childOf(node, key)
        if (child === undefined) break
        const pair = child as { key?: Node; value?: unknown; range?: Node['range'] }
        place = (isMap(node) ? pair.key?.range?.[0] : pair.range?.[0]) ?? place
        node = isMap(node) ? pair.value : child
      }
      return place === undefined ? 1 : lines.linePos(place).line
    }
    return { file, value, lineOf }
  })
}
