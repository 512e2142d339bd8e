const opening = '<!-- generated: '
const closing = '<!-- /generated -->'

/**
 * The text with every part between `<!-- generated: name -->` and `<!-- /generated -->` made anew. A part that begins on the line
 * of its mark stays on it.
 * @throws Error for a name that has no part, and for a mark that is not closed
 */
export function fillParts(text: string, parts: Readonly<Record<string, string>>): string {
  const [before = '', ...marked] = text.split(opening)
  const filled = marked.map((piece) => {
    const nameEnd = piece.indexOf(' -->')
    const name = piece.slice(0, nameEnd)
    const part = parts[name]
    if (part === undefined) throw new Error(`No part is called ${name}`)
    const end = piece.indexOf(closing)
    if (end < 0) throw new Error(`The part ${name} has no end`)
    const isBlock = piece.startsWith('\n', nameEnd + ' -->'.length)
    return `${name} -->${isBlock ? `\n\n${part}\n\n` : part}${piece.slice(end)}`
  })
  return [before, ...filled].join(opening)
}
