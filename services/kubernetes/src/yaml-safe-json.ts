/**
 * Characters that JSON allows unescaped, but that YAML counts as unprintable or as line breaks: DEL, the C1 controls, line and
 * paragraph separators, the byte order mark and noncharacters.
 */
const unprintable = /[\u007f-\u009f\u2028\u2029\ufeff\ufffe\uffff]/g

function escapeCharacter(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`
}

/**
 * Returns JSON that is also YAML, because the API server reads apply patches as YAML. Lone surrogates, which YAML does not allow,
 * become U+FFFD.
 */
export function toYamlSafeJson(value: unknown): string {
  const json = JSON.stringify(value, (_, each: unknown) => (typeof each === 'string' ? each.toWellFormed() : each))
  return json.replaceAll(unprintable, escapeCharacter)
}
