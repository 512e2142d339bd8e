/** What a paste would send. Undefined: harmless, a single short line. */
export type GuardedPaste = Readonly<{
  text: string
  lines: number
}>

const longPasteChars = 400

/** Several lines would run one after the other, long ones are easily pasted by mistake: both are asked about first. */
export function guardPaste(pasted: string): GuardedPaste | undefined {
  const text = pasted.replaceAll(/\r\n?/g, '\n')
  const lines = text.replace(/\n$/, '').split('\n').length
  return lines > 1 || text.length > longPasteChars ? { text, lines } : undefined
}
