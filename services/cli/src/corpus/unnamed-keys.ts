import type { Imported } from '@capstan/challenge-files/importers/dialect'
import { formatFieldPath } from '@capstan/challenge-files/importers/fields'
import { importDescriptor } from '@capstan/challenge-files/importers/import'
import { formatForeignDocuments, readForeignFile } from '@capstan/challenge-files/toml'
import { addTextFiles, type FileTree, folderOf } from '@capstan/challenge-files/tree'
import { type FieldPath, UnreadableFile } from '@capstan/challenge-files/yaml'

/** Value in a descriptor that has no effect on the import and that no finding mentions. */
export type UnnamedKey = Readonly<{
  file: string
  field: string
}>

/** Maximum number of values to examine in one descriptor. */
const maxLeaves = 2_000

function leavesOf(value: unknown, path: FieldPath = []): FieldPath[] {
  if (typeof value !== 'object' || value === null || value instanceof Date)
    return value === null || value === '' || path.length === 0 ? [] : [path]
  return Object.entries(value).flatMap(([key, child]) => leavesOf(child, [...path, Array.isArray(value) ? Number(key) : key]))
}

/**
 * Words that have a meaning in some descriptors. The search replaces a value by each of these words, to find out whether the value
 * has an effect.
 */
const words = ['http', 'hidden', 'visible', 'dynamic', 'standard', 'regex', 'linear', 'case_insensitive', './x', '5m']

function othersThan(value: unknown): readonly unknown[] {
  if (typeof value === 'boolean') return [!value]
  if (typeof value === 'number') return [value + 1, value - 1, value * 3 + 7]
  return [`${String(value)}x`, ...words.filter((word) => word !== value)]
}

/** Returns a copy with another value at a path. The value undefined removes the key. */
function withValue(value: unknown, [key, ...rest]: FieldPath, other: unknown): unknown {
  if (key === undefined) return other
  if (Array.isArray(value)) {
    const changed = value.map((element, index) => (index === key ? withValue(element, rest, other) : element))
    return other === undefined && rest.length === 0 ? changed.filter((_, index) => index !== key) : changed
  }
  return Object.fromEntries(
    Object.entries(value as Record<string, unknown>).flatMap(([name, element]) => {
      if (name !== String(key)) return [[name, element]]
      return other === undefined && rest.length === 0 ? [] : [[name, withValue(element, rest, other)]]
    }),
  )
}

function valueAt(value: unknown, path: FieldPath): unknown {
  return path.reduce((holder, key) => (holder as Record<string | number, unknown>)[key], value)
}

/** Returns all parts of an import except line numbers, which change when a file is rewritten. */
function essence(imported: readonly Imported[]): string {
  return JSON.stringify(imported, (key, value: unknown) => (key === 'line' ? undefined : value))
}

function isNamed(imported: readonly Imported[], file: string, field: string): boolean {
  return imported.some(({ findings }) =>
    findings.some(
      (finding) =>
        finding.file === file &&
        finding.field !== '' &&
        (field === finding.field || field.startsWith(`${finding.field}.`) || field.startsWith(`${finding.field}[`)),
    ),
  )
}

/**
 * Returns the documents of a file.
 * @returns an empty list if the file cannot be read, because its import already reports an error
 */
function documentsOf(tree: FileTree, file: string): unknown[] {
  try {
    return readForeignFile(tree, file).map(({ value }) => value)
  } catch (cause) {
    if (cause instanceof UnreadableFile) return []
    throw cause
  }
}

type Import = (tree: FileTree, file: string) => Imported[]

/** Returns the YAML and TOML files that an import reads from the folder of a descriptor. */
function filesRead(tree: FileTree, file: string, importFile: Import): string[] {
  const read = new Set<string>()
  importFile(
    {
      paths: tree.paths,
      readText: (path, maxBytes) => {
        if (/\.(?:ya?ml|toml)$/.test(path) && folderOf(path) === folderOf(file)) read.add(path)
        return tree.readText(path, maxBytes)
      },
    },
    file,
  )
  return [...read]
}

/**
 * Returns the keys that an import neither uses nor reports. To test a key, the function removes or replaces its value.
 * @param importFile import function to test
 */
export function findUnreportedKeys(tree: FileTree, file: string, importFile: Import = importDescriptor): UnnamedKey[] {
  return filesRead(tree, file, importFile).flatMap((source) => {
    const documents = documentsOf(tree, source)
    const importWith = (values: readonly unknown[]): Imported[] => {
      return importFile(addTextFiles(tree, new Map([[source, formatForeignDocuments(source, values)]])), file)
    }
    const present = importWith(documents)
    const expected = essence(present)
    const makesNoDifference = (index: number, path: FieldPath, other: unknown): boolean =>
      essence(importWith(documents.map((value, at) => (at === index ? withValue(value, path, other) : value)))) === expected
    /** True if the import needs a document, but ignores almost all keys of the document. */
    const isOneOfAll = (index: number, unnamed: number, all: number): boolean =>
      documents.length > 1 && unnamed >= all - 1 && essence(importWith(documents.filter((_, at) => at !== index))) !== expected
    return documents.flatMap((document, index) => {
      const leaves = leavesOf(document).slice(0, maxLeaves)
      const unnamed = leaves.filter((path) => {
        if (isNamed(present, source, formatFieldPath(path))) return false
        return [undefined, ...othersThan(valueAt(document, path))].every((other) => makesNoDifference(index, path, other))
      })
      return isOneOfAll(index, unnamed.length, leaves.length)
        ? []
        : unnamed.map((path) => ({ file: source, field: formatFieldPath(path) }))
    })
  })
}
