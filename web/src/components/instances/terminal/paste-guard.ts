export type GuardedPaste = Readonly<{
  text: string
  lines: number
}>

const longPasteChars = 400

/**
 * Returns the pasted text if it needs confirmation. Several pasted lines would all run, and a long line is often a mistake.
 * @returns undefined for a single short line
 */
export function findPasteToConfirm(pasted: string): GuardedPaste | undefined {
  const text = pasted.replaceAll(/\r\n?/g, '\n')
  const lines = text.replace(/\n$/, '').split('\n').length
  return lines > 1 || text.length > longPasteChars ? { text, lines } : undefined
}
