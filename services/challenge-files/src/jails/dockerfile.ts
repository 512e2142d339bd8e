export type Instruction = Readonly<{
  /** Keyword in uppercase. */
  keyword: string
  /** Text after the keyword, with continued lines joined. */
  rest: string
  raw: string
  line: number
}>

const heredoc = /<<-?["']?([A-Za-z_][A-Za-z0-9_]{0,63})["']?/

/** Returns the instructions of a Dockerfile in order. Comments are left out. */
export function parseDockerfile(text: string): Instruction[] {
  const lines = text.replaceAll('\r', '').split('\n')
  const found: Instruction[] = []
  for (let at = 0; at < lines.length; at++) {
    const first = lines[at] ?? ''
    if (first.trim() === '' || first.trimStart().startsWith('#')) continue
    const start = at
    const parts: string[] = []
    let current = first
    while (current.trimEnd().endsWith('\\') && at + 1 < lines.length) {
      parts.push(current.trimEnd().slice(0, -1))
      do at++
      while (at + 1 < lines.length && (lines[at] ?? '').trimStart().startsWith('#'))
      current = lines[at] ?? ''
    }
    parts.push(current)
    const whole = parts.join(' ').trim()
    const split = whole.search(/\s/)
    const keyword = (split === -1 ? whole : whole.slice(0, split)).toUpperCase()
    const rest = split === -1 ? '' : whole.slice(split).trim()
    const end = keyword === 'RUN' || keyword === 'COPY' ? heredoc.exec(rest)?.[1] : undefined
    if (end !== undefined) while (at + 1 < lines.length && (lines[at] ?? '').trim() !== end) at++
    found.push({ keyword, rest, raw: lines.slice(start, at + 1).join('\n'), line: start + 1 })
  }
  return found
}

export function splitShellWords(text: string): string[] {
  const words: string[] = []
  let word: string | undefined
  let quote = ''
  for (let at = 0; at < text.length; at++) {
    const character = text[at] ?? ''
    if (quote !== '') {
      if (character === quote) quote = ''
      else if (character === '\\' && quote === '"' && at + 1 < text.length) word = (word ?? '') + (text[++at] ?? '')
      else word = (word ?? '') + character
    } else if (character === '"' || character === "'") {
      quote = character
      word ??= ''
    } else if (character === '\\' && at + 1 < text.length) word = (word ?? '') + (text[++at] ?? '').trim()
    else if (/[\s;]/.test(character)) {
      if (word !== undefined) words.push(word)
      if (character === ';') words.push(';')
      word = undefined
    } else word = (word ?? '') + character
  }
  if (word !== undefined) words.push(word)
  return words
}

/** Returns the words of CMD, ENTRYPOINT or COPY, which may be a JSON list. */
export function wordsOfInstruction(rest: string): string[] {
  if (rest.startsWith('[')) {
    try {
      const list: unknown = JSON.parse(rest)
      if (Array.isArray(list) && list.every((each) => typeof each === 'string')) return list
    } catch {
      // The text is not JSON, so a shell runs it.
    }
  }
  return splitShellWords(rest)
}
