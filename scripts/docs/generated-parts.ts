const opening = '<!-- generated: '
const closing = '<!-- /generated -->'

/**
 * Replaces the text between each pair of `<!-- generated: name -->` and `<!-- /generated -->`. If the old text starts
 * on the line of the first marker, the new text also starts on this line.
 * @throws Error for an unknown name or an unclosed marker
 */
export function replaceGeneratedParts(text: string, parts: Readonly<Record<string, string>>): string {
  const [before = '', ...marked] = text.split(opening)
  const filled = marked.map((piece) => {
    const nameEnd = piece.indexOf(' -->')
    const name = piece.slice(0, nameEnd)
    const part = parts[name]
    if (part === undefined) throw new Error(`No part has the name ${name}`)
    const end = piece.indexOf(closing)
    if (end < 0) throw new Error(`The part ${name} has no end`)
    const isBlock = piece.startsWith('\n', nameEnd + ' -->'.length)
    return `${name} -->${isBlock ? `\n\n${part}\n\n` : part}${piece.slice(end)}`
  })
  return [before, ...filled].join(opening)
}
