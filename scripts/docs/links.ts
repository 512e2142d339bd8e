export type Reference = Readonly<{
  /**
   * Path in the form that the reference contains. It is relative to the document, or to the repository if code contains the
   * reference.
   */
  file: string
  anchor: string | undefined
  line: number
}>

/** Returns the lines of a document. Lines of code blocks are empty. */
function proseOf(text: string): string[] {
  let isCode = false
  return text.split('\n').map((line) => {
    const isFence = line.startsWith('```')
    if (isFence) isCode = !isCode
    return isCode || isFence ? '' : line
  })
}

function referenceOf(target: string, line: number): Reference {
  const [file = '', anchor] = target.split('#')
  return { file, anchor, line }
}

/** Returns the anchors of a document's headings, as GitHub creates them. */
export function anchorsOf(text: string): ReadonlySet<string> {
  const anchors = new Set<string>()
  for (const line of proseOf(text)) {
    const heading = /^#{1,6} (.*)$/.exec(line)?.[1]
    if (heading === undefined) continue
    const slug = heading
      .trim()
      .toLowerCase()
      .replaceAll(/[^\p{L}\p{N}\s_-]/gu, '')
      .replaceAll(/\s/g, '-')
    let anchor = slug
    for (let count = 1; anchors.has(anchor); count += 1) anchor = `${slug}-${count}`
    anchors.add(anchor)
  }
  return anchors
}

/** Returns the links and pictures in a document that refer to files of the repository. */
export function linksOf(text: string): Reference[] {
  return proseOf(text).flatMap((line, index) =>
    [...line.matchAll(/\]\(([^()\s]*)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/i.test(target))
      .map((target) => referenceOf(target, index + 1)),
  )
}

/** Returns the references of code to documents, such as `docs/contract/teams.md#locks`. */
export function listDocumentReferences(text: string): Reference[] {
  return text.split('\n').flatMap((line, index) =>
    line
      .split(/[\s`'"()[\]<>,;:]/)
      .map((word) => /^docs\/[\w/-]+\.md(?:#[\w-]+)?/.exec(word)?.[0])
      .filter((target) => target !== undefined)
      .map((target) => referenceOf(target, index + 1)),
  )
}
