import { Document, isMap, isScalar, isSeq, parseDocument, visit } from 'yaml'

type Path = readonly string[]

function nodeOf(document: Document, value: unknown) {
  const node = document.createNode(value)
  const whole = new Document()
  whole.contents = node as typeof whole.contents
  visit(whole, {
    Scalar: (_, scalar) => {
      if (isScalar(scalar) && typeof scalar.value === 'string' && scalar.value.includes('\n')) scalar.type = 'BLOCK_LITERAL'
    },
    Collection: (_, collection) => {
      if ((isMap(collection) || isSeq(collection)) && collection.items.length === 0) collection.flow = true
    },
  })
  return node
}

function valueAt(source: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (value, key) => (typeof value === 'object' && value !== null ? (value as Record<string, unknown>)[key] : undefined),
    source,
  )
}

/**
 * Sets some fields in the text of a file to their values in `fresh`, and removes fields that `fresh` lacks. Comments and the
 * order of other fields do not change.
 */
export function setYamlFields(text: string, fresh: object, paths: readonly Path[]): string {
  const document = parseDocument(text)
  for (const path of paths) {
    const value = valueAt(fresh, path)
    if (value === undefined) {
      if (document.hasIn(path)) document.deleteIn(path)
      continue
    }
    const before = document.getIn(path, true)
    // Replace only the value of a scalar, so that the comment after it is preserved.
    if (isScalar(before) && (typeof value !== 'object' || value === null) && !String(value).includes('\n')) before.value = value
    else document.setIn(path, nodeOf(document, value))
  }
  return document.toString({ lineWidth: 0 })
}

/**
 * Returns the text of a new file.
 * @param comment first line, including `#`
 */
export function createYamlText(fresh: object, comment: string): string {
  const document = new Document()
  document.contents = nodeOf(document, fresh) as typeof document.contents
  return `${comment}\n${document.toString({ lineWidth: 0 })}`
}
