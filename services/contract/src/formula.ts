/**
 * Rules that find formulas in Markdown, `$x$` and `$$x$$`. The web client and the importers share these rules. Organizers also
 * write `$` in prices, shell variables and payloads. So text between dollar signs counts as a formula only if no other meaning is
 * likely.
 */

/** Matches an inline formula. `mayFollow` checks the character before it. */
const inline = /^\$(?![\s$])((?:\\\$|[^$\n])+?)(?<!\s)\$(?![\p{L}\p{N}_$({[])/u
/** Matches a block formula. It starts at the start of a line and ends at the end of a line. */
const block = /^\$\$([^$]+?)\$\$(?:\n|$)/

/**
 * Matches white space, opening brackets and quotes. It does not match `{`, because a dollar sign after `{` usually belongs to a
 * flag.
 */
const openers = /[\s\p{Pi}([<"'„‚«]/u
const cjkOpeners = /[（「『【《〈［]/u

/**
 * True if a formula may follow the character `before`. An undefined `before` means that the formula is at the start of the text.
 */
function mayFollow(before: string | undefined): boolean {
  return before === undefined || openers.test(before) || cjkOpeners.test(before)
}

const mathSigns = /[\\^_=+*/<>|{}]/
/** Matches a word of at least two letters between white space. A text with such a word and without math signs is prose. */
const word = /(?:\s\p{L}{2,}|^\p{L}{2,}\s)/u

function isProse(text: string): boolean {
  return !mathSigns.test(text) && word.test(text)
}

type Formula = Readonly<{
  raw: string
  isDisplayed: boolean
}>

/**
 * Returns the inline formula at the start of `source`, if there is one.
 * @param source rest of the text, which begins with a dollar sign
 * @param before the character before the dollar sign
 */
export function inlineFormulaAt(source: string, before: string | undefined): Formula | undefined {
  const match = mayFollow(before) ? inline.exec(source) : null
  return match && !isProse(match[1] ?? '') ? { raw: match[0], isDisplayed: false } : undefined
}

/**
 * Returns the block formula at the start of `source`, if there is one.
 * @param source rest of the text, which begins at the start of a line
 */
export function blockFormulaAt(source: string): Formula | undefined {
  const match = block.exec(source)
  return match && !isProse((match[1] ?? '').trim()) ? { raw: match[0], isDisplayed: true } : undefined
}

export function removeFormulaDelimiters(raw: string): string {
  return raw
    .trim()
    .replace(/^\$\$?/, '')
    .replace(/\$\$?$/, '')
    .trim()
}

/** Matches code in Markdown. Dollar signs in code must not be escaped, because Markdown shows a backslash in code. */
const code = /(```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]*`)/

function escapeText(text: string, ahead: string | undefined): string {
  let escaped = ''
  for (let at = 0; at < text.length; at++) {
    const letter = text[at] ?? ''
    const before = text[at - 1] ?? ahead
    const rest = text.slice(at)
    const isLineStart = before === undefined || before === '\n'
    const isRead =
      letter === '$' && (inlineFormulaAt(rest, before) !== undefined || (isLineStart && blockFormulaAt(rest) !== undefined))
    escaped += isRead ? '\\$' : letter
  }
  return escaped
}

/**
 * Escapes dollar signs that would begin a formula. The Markdown text is from a platform without formulas, so its dollar signs are
 * plain text.
 */
export function escapeFormulas(markdown: string): string {
  let ahead: string | undefined
  return markdown
    .split(code)
    .map((part, index) => {
      const text = index % 2 === 1 || !part.includes('$') ? part : escapeText(part, ahead)
      ahead = part.at(-1) ?? ahead
      return text
    })
    .join('')
}
