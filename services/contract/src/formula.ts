/**
 * Formulas in Markdown, `$x$` and `$$x$$`: the rule of the page and of importers. Organizers also write `$` as a letter, in prices,
 * shell variables and payloads, so it is a formula only where nothing else is likely.
 */

/** A formula of a line. What is before it is judged apart. */
const inline = /^\$(?![\s$])((?:\\\$|[^$\n])+?)(?<!\s)\$(?![\p{L}\p{N}_$({[])/u
/** A formula that begins a line and ends one. */
const block = /^\$\$([^$]+?)\$\$(?:\n|$)/

/** Opening brackets and quotes, but not `{`, after which a flag begins. */
const openers = /[\s\p{Pi}([<"'„‚«]/u
const cjkOpeners = /[（「『【《〈［]/u

/** True if a formula may begin after this character; undefined at the start of a text. */
const mayFollow = (before: string | undefined): boolean => before === undefined || openers.test(before) || cjkOpeners.test(before)

const mathSigns = /[\\^_=+*/<>|{}]/
/** A word beside others: letters of a formula stand alone. */
const word = /(?:\s\p{L}{2,}|^\p{L}{2,}\s)/u

const isProse = (text: string): boolean => !mathSigns.test(text) && word.test(text)

interface Formula {
  readonly raw: string
  readonly isDisplayed: boolean
}

/** @param source text from the dollar on; @param before character ahead of it */
export const inlineFormulaAt = (source: string, before: string | undefined): Formula | undefined => {
  const match = mayFollow(before) ? inline.exec(source) : null
  return match && !isProse(match[1] ?? '') ? { raw: match[0], isDisplayed: false } : undefined
}

/** @param source text from the beginning of a line on */
export const blockFormulaAt = (source: string): Formula | undefined => {
  const match = block.exec(source)
  return match && !isProse((match[1] ?? '').trim()) ? { raw: match[0], isDisplayed: true } : undefined
}

/** What a formula says, without its dollars. */
export const formulaSource = (raw: string): string =>
  raw
    .trim()
    .replace(/^\$\$?/, '')
    .replace(/\$\$?$/, '')
    .trim()

/** Code of Markdown, in which a backslash would be a letter. */
const code = /(```[\s\S]*?(?:```|$)|~~~[\s\S]*?(?:~~~|$)|`[^`\n]*`)/

const escapeText = (text: string, ahead: string | undefined): string => {
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

/** Markdown of a platform where `$` is a letter, so that it is one here: dollars that would begin a formula get a backslash. */
export const escapeFormulas = (markdown: string): string => {
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
