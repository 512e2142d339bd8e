/** Interpolation of variables as the Compose specification defines it. */

export type Interpolation = Readonly<{
  text: string
  /** Names of variables that have neither a value nor a default. */
  unset: readonly string[]
  /** Names of all variables in the text. */
  used: readonly string[]
  /** Error message for a required variable that has no value. */
  missing?: string
  /** True if a text contains a `$` outside a variable. Compose refuses such texts. */
  isOdd: boolean
}>

const nameAt = /[A-Za-z_][A-Za-z0-9_]*/y
const operators = [':-', '-', ':?', '?', ':+', '+'] as const

/** Returns a map from the position of each `${` to the position of its closing brace. */
function closingBraces(text: string): Map<number, number> {
  const open: number[] = []
  const closed = new Map<number, number>()
  for (let at = 0; at < text.length; at++) {
    if (text.startsWith('$$', at)) at++
    else if (text.startsWith('${', at)) open.push(at)
    else if (text[at] === '}') {
      const start = open.pop()
      if (start !== undefined) closed.set(start, at)
    }
  }
  return closed
}

function nameFrom(text: string, at: number): string {
  nameAt.lastIndex = at
  return nameAt.exec(text)?.[0] ?? ''
}

/** Maximum depth of nested defaults. */
const maxDepth = 16

/**
 * Replaces `$NAME`, `${NAME}` and the forms with `-`, `?` and `+`. A `$$` becomes `$`.
 * @param variables values by name
 */
export function replaceComposeVariables(text: string, variables: ReadonlyMap<string, string>, depth = 0): Interpolation {
  if (!text.includes('$')) return { text, unset: [], used: [], isOdd: false }
  const unset: string[] = []
  const used: string[] = []
  let missing: string | undefined
  let isOdd = false
  let result = ''
  const nested = (word: string): string => {
    if (depth >= maxDepth) {
      isOdd = true
      return word
    }
    const inner = replaceComposeVariables(word, variables, depth + 1)
    unset.push(...inner.unset)
    used.push(...inner.used)
    missing ??= inner.missing
    isOdd ||= inner.isOdd
    return inner.text
  }
  const resolveVariable = (name: string, rest: string): string => {
    used.push(name)
    const value = variables.get(name)
    const operator = operators.find((each) => rest.startsWith(each))
    const word = rest.slice(operator?.length ?? 0)
    const isGiven = value !== undefined && !(operator?.startsWith(':') === true && value === '')
    if (operator === undefined) {
      if (rest !== '') isOdd = true
      if (value === undefined) unset.push(name)
      return value ?? ''
    }
    if (operator.endsWith('+')) return isGiven ? nested(word) : ''
    if (isGiven) return value
    if (operator.endsWith('-')) return nested(word)
    missing ??= `\`${name}\` is required${word === '' ? '' : `: ${word}`}`
    return ''
  }
  const braces = closingBraces(text)
  let at = 0
  while (at < text.length) {
    const dollar = text.indexOf('$', at)
    if (dollar === -1) break
    result += text.slice(at, dollar)
    if (text[dollar + 1] === '$') {
      result += '$'
      at = dollar + 2
      continue
    }
    const isBraced = text[dollar + 1] === '{'
    const start = dollar + (isBraced ? 2 : 1)
    const name = nameFrom(text, start)
    const end = isBraced ? braces.get(dollar) : start + name.length
    if (name === '' || end === undefined) {
      isOdd = true
      result += '$'
      at = dollar + 1
      continue
    }
    result += resolveVariable(name, text.slice(start + name.length, end))
    at = end + (isBraced ? 1 : 0)
  }
  return { text: result + text.slice(at), unset, used, ...(missing !== undefined && { missing }), isOdd }
}
