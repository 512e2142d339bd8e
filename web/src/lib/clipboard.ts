/**
 * Copies a text to the clipboard. On pages over plain HTTP, browsers have no clipboard API. There, this function selects and
 * copies a hidden field beside `near`.
 * @throws Error if the browser refuses to copy
 */
export async function copyText(text: string, near: HTMLElement): Promise<void> {
  if ((navigator.clipboard as Clipboard | undefined) !== undefined) return navigator.clipboard.writeText(text)
  const field = document.createElement('textarea')
  field.value = text
  field.readOnly = true
  field.className = 'visually-hidden'
  near.parentElement?.append(field)
  field.focus()
  field.select()
  const isCopied = document.execCommand('copy')
  field.remove()
  near.focus()
  if (!isCopied) throw new Error('The browser does not allow copying')
}
