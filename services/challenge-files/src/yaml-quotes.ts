function nextLine(text: string, from: number): number {
  const at = text.indexOf('\n', from)
  return at === -1 ? text.length : at + 1
}

function indentOf(line: string): number {
  return line.length - line.trimStart().length
}

/** Maximum number of inserted blanks. Files that people write need far fewer. */
const maxAdded = 1024 * 1024

/** Returns the position of the closing quote for the opening quote at `from`. Returns -1 if there is no closing quote. */
function closingQuote(text: string, from: number): number {
  const quote = text[from]
  for (let at = from + 1; at < text.length; at++) {
    if (quote === '"' && text[at] === '\\') at += 1
    else if (text[at] === quote) {
      if (quote === '"' || text[at + 1] !== quote) return at
      at += 1
    }
  }
  return -1
}

/** Returns the position where the value of a line starts, and the indentation of the list or mapping that contains the value. */
function placeOfValue(line: string): Readonly<{ at: number; holder: number }> {
  let at = indentOf(line)
  let holder = -1
  while (line.startsWith('- ', at)) {
    holder = at
    at += 2 + indentOf(line.slice(at + 2))
  }
  const colon = line.indexOf(': ', at)
  if (colon === -1 || line[at] === '"' || line[at] === "'") return { at, holder }
  return { at: colon + 2 + indentOf(line.slice(colon + 2)), holder: at }
}

/**
 * Indents continuation lines of quoted texts. libyaml and PyYAML accept such lines without indentation, but our parser does not.
 * Leading blanks are not part of a text, and the number of lines does not change.
 */
export function indentQuotedLines(text: string): string {
  const parts: string[] = []
  // Indentation of the list or mapping that contains a block text. The block ends at the next line that is not indented further.
  let block: number | undefined
  let start = 0
  let added = 0
  while (start < text.length) {
    let next = nextLine(text, start)
    const line = text.slice(start, next)
    const indent = indentOf(line)
    if (block !== undefined && line.trim() !== '' && indent <= block) block = undefined
    const { at, holder } = block === undefined && line[indent] !== '#' ? placeOfValue(line) : { at: line.length, holder: 0 }
    const first = line[at]
    if (first === '|' || first === '>') block = holder
    const close = first === '"' || first === "'" ? closingQuote(text, start + at) : start
    if (close === -1) break
    parts.push(line)
    while (next <= close) {
      const going = text.slice(next, nextLine(text, next))
      const missing = indentOf(going) > holder || going.trim() === '' ? 0 : holder + 1
      added += missing
      if (added > maxAdded) return text
      parts.push(' '.repeat(missing) + going)
      next += going.length
    }
    start = next
  }
  return parts.join('') + text.slice(start)
}
