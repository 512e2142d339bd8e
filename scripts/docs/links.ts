/** A place that a document or a comment names. */
export type Reference = Readonly<{
  /** As written, relative to the document or to the repository. */
  file: string
  anchor: string | undefined
  line: number
}>

/** Lines of a document outside its code blocks; those inside are empty. */
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

/** Anchors of the headings of a document, as GitHub makes them. */
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

/** Links and pictures of a document that lead to a place in the repository. */
export function linksOf(text: string): Reference[] {
  return proseOf(text).flatMap((line, index) =>
    [...line.matchAll(/\]\(([^()\s]*)\)/g)]
      .map(([, target = '']) => target)
      .filter((target) => !/^[a-z]+:/i.test(target))
      .map((target) => referenceOf(target, index + 1)),
  )
}

/** Documents that code names: `docs/contract/teams.md#locks`. */
export function mentionsOf(text: string): Reference[] {
  return text.split('\n').flatMap((line, index) =>
    line
      .split(/[\s`'"()[\]<>,;:]/)
      .map((word) => /^docs\/[\w/-]+\.md(?:#[\w-]+)?/.exec(word)?.[0])
      .filter((target) => target !== undefined)
      .map((target) => referenceOf(target, index + 1)),
  )
}
