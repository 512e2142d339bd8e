/**
 * Formulas in Markdown, `$x$` and `$$x$$`, for the page and for importers. Organizers also write `$` in prices, shell variables
 * and payloads. So text between dollars counts as a formula only if no other meaning is likely.
 */

/** Matches an inline formula. The character before it is checked separately. */
const inline = /^\$(?![\s$])((?:\\\$|[^$\n])+?)(?<!\s)\$(?![\p{L}\p{N}_$({[])/u
/** Matches a block formula. It starts at the start of a line and ends at the end of a line. */
const block = /^\$\$([^$]+?)\$\$(?:\n|$)/

/** Matches opening brackets and quotes. `{` is missing, because it starts a flag. */
const openers = /[\s\p{Pi}([<"'„‚«]/u
const cjkOpeners = /[（「『【《〈［]/u

/** True if a formula may follow this character, which is undefined at the start of a text. */
function mayFollow(before: string | undefined): boolean {
  return before === undefined || openers.test(before) || cjkOpeners.test(before)
}

const mathSigns = /[\\^_=+*/<>|{}]/
/** Matches two words in a row. They show that a text is prose, because a formula has only single letters. */
const word = /(?:\s\p{L}{2,}|^\p{L}{2,}\s)/u

function isProse(text: string): boolean {
  return !mathSigns.test(text) && word.test(text)
}

type Formula = Readonly<{
  raw: string
  isDisplayed: boolean
}>

/**
 * @param source text from the dollar to its end
 * @param before character before the dollar
 */
export function inlineFormulaAt(source: string, before: string | undefined): Formula | undefined {
  const match = mayFollow(before) ? inline.exec(source) : null
  return match && !isProse(match[1] ?? '') ? { raw: match[0], isDisplayed: false } : undefined
}

/** @param source text from the start of a line to its end */
export function blockFormulaAt(source: string): Formula | undefined {
  const match = block.exec(source)
  return match && !isProse((match[1] ?? '').trim()) ? { raw: match[0], isDisplayed: true } : undefined
}

/** Returns a formula without its dollar signs. */
export function formulaSource(raw: string): string {
  return raw
    .trim()
    .replace(/^\$\$?/, '')
    .replace(/\$\$?$/, '')
    .trim()
}

/** Matches code in Markdown. Dollars in code must not be escaped, because the page would show the backslash. */
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

/** Escapes dollars in Markdown from a platform that has no formulas, where they would start a formula on this platform. */
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
