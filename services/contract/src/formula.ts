/**
 * Formulas in Markdown, `$x$` and `$$x$$`, for the page and for importers. Organizers also write `$` in prices, shell variables
 * and payloads, so a text counts as a formula only if nothing else is likely.
 */

/** Inline formula. Its preceding character is checked separately. */
const inline = /^\$(?![\s$])((?:\\\$|[^$\n])+?)(?<!\s)\$(?![\p{L}\p{N}_$({[])/u
/** Block formula, which starts and ends a line. */
const block = /^\$\$([^$]+?)\$\$(?:\n|$)/

/** Opening brackets and quotes, except `{`, which starts a flag. */
const openers = /[\s\p{Pi}([<"'„‚«]/u
const cjkOpeners = /[（「『【《〈［]/u

/** True if a formula may follow this character. It is undefined at the start of a text. */
function mayFollow(before: string | undefined): boolean {
  return before === undefined || openers.test(before) || cjkOpeners.test(before)
}

const mathSigns = /[\\^_=+*/<>|{}]/
/** Word next to another word. Letters of a formula are single. */
const word = /(?:\s\p{L}{2,}|^\p{L}{2,}\s)/u

function isProse(text: string): boolean {
  return !mathSigns.test(text) && word.test(text)
}

type Formula = Readonly<{
  raw: string
  isDisplayed: boolean
}>

/**
 * @param source text from the dollar on
 * @param before preceding character
 */
export function inlineFormulaAt(source: string, before: string | undefined): Formula | undefined {
  const match = mayFollow(before) ? inline.exec(source) : null
  return match && !isProse(match[1] ?? '') ? { raw: match[0], isDisplayed: false } : undefined
}

/** @param source text from the start of a line */
export function blockFormulaAt(source: string): Formula | undefined {
  const match = block.exec(source)
  return match && !isProse((match[1] ?? '').trim()) ? { raw: match[0], isDisplayed: true } : undefined
}

/** Returns a formula without its dollars. */
export function formulaSource(raw: string): string {
  return raw
    .trim()
    .replace(/^\$\$?/, '')
    .replace(/\$\$?$/, '')
    .trim()
}

/** Code in Markdown, where a backslash would be literal. */
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

/** Escapes dollars in Markdown of a platform without formulas, if they would start a formula here. */
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
