import { parse, stringify, TomlError } from 'smol-toml'
import type { FileTree } from './tree.ts'
import { type FieldPath, maxDescriptorBytes, readYaml, type Source, UnreadableFile } from './yaml.ts'

/** Splits a key such as `containers.main` into its parts, and removes quotes. */
function partsOf(key: string): string[] {
  return key.split('.').map((part) => part.trim().replaceAll(/^["']|["']$/g, ''))
}

/** Maximum depth of tracked line numbers. Deeper keys report the line of their parent. */
const maxDepth = 8

/** Returns a map from the path of each table and key to its line. Parts of a multi-line value have the line of the key. */
function linesOf(text: string): ReadonlyMap<string, number> {
  const lines = new Map<string, number>()
  const counts = new Map<string, number>()
  let table: (string | number)[] = []
  let quote: string | undefined
  for (const [index, line] of text.split('\n').entries()) {
    const note = (path: FieldPath): void => {
      for (let length = 1; length <= Math.min(path.length, maxDepth); length++) {
        const key = JSON.stringify(path.slice(0, length))
        if (!lines.has(key)) lines.set(key, index + 1)
      }
    }
    const isText = quote !== undefined
    for (const found of line.matchAll(/"""|'''/g)) quote = quote === undefined ? found[0] : quote === found[0] ? undefined : quote
    if (isText) continue
    const header = /^\s*\[\[?([^\]]+)\]/.exec(line)?.[1]
    if (header !== undefined) {
      table = partsOf(header)
      if (line.trimStart().startsWith('[[')) {
        const count = counts.get(header) ?? 0
        counts.set(header, count + 1)
        table.push(count)
      }
      note(table)
      continue
    }
    const equals = line.indexOf('=')
    if (equals > 0 && !line.trimStart().startsWith('#')) note([...table, ...partsOf(line.slice(0, equals))])
  }
  return lines
}

/**
 * Reads a TOML file.
 * @throws UnreadableFile
 */
function readToml(tree: FileTree, file: string): Source {
  const text = tree.readText(file, maxDescriptorBytes)
  let value: unknown
  try {
    value = parse(text)
  } catch (cause) {
    if (!(cause instanceof TomlError)) throw cause
    throw new UnreadableFile(cause.line, cause.message.split('\n', 1)[0] ?? '')
  }
  const lines = linesOf(text)
  return {
    file,
    value,
    lineOf: (path) => {
      for (let length = Math.min(path.length, maxDepth); length > 0; length--) {
        const line = lines.get(JSON.stringify(path.slice(0, length)))
        if (line !== undefined) return line
      }
      return 1
    },
  }
}

/** Returns the positions of the values in a file, or nothing if the YAML parser refuses it. */
function positionsIn(tree: FileTree, file: string): Partial<Source> {
  try {
    return readYaml(tree, file, '1.1')[0] ?? {}
  } catch {
    return {}
  }
}

/**
 * Reads a JSON file that the YAML parser refuses.
 * @returns undefined if the YAML parser accepts the file, or if it is not valid JSON either
 */
function readJson(tree: FileTree, file: string): Source[] | undefined {
  const text = tree.readText(file, maxDescriptorBytes)
  try {
    readYaml(tree, file, '1.1')
    return undefined
  } catch {
    try {
      // Texts in JSON contain no tabs, so replacing all tabs changes no value. The YAML parser can then read the positions.
      const spaced = { ...tree, readText: () => text.replaceAll('\t', ' ') }
      return [{ file, lineOf: () => 1, ...positionsIn(spaced, file), value: JSON.parse(text) }]
    } catch {
      // The text is neither YAML nor JSON. The caller reads it as YAML again, so that the error contains the line of the fault.
      return undefined
    }
  }
}

/**
 * Parses a challenge file that was written for another platform. The parser follows the rules of that platform.
 * @throws UnreadableFile
 */
export function readForeignFile(tree: FileTree, file: string): Source[] {
  const name = file.toLowerCase()
  if (name.endsWith('.toml')) return [readToml(tree, file)]
  // JSON is also YAML, but some files have tabs or other details that only a JSON parser accepts.
  return name.endsWith('.json') ? (readJson(tree, file) ?? readYaml(tree, file, '1.1')) : readYaml(tree, file, '1.1')
}

/**
 * Converts documents to text from which the same documents can be read again. The text is TOML if the file is TOML, and otherwise
 * JSON, which is also YAML.
 */
export function formatForeignDocuments(file: string, documents: readonly unknown[]): string {
  return file.endsWith('.toml') ? stringify(documents[0]) : documents.map((document) => JSON.stringify(document)).join('\n---\n')
}
