/**
 * Copies a text. Browsers have no clipboard API on pages of plain HTTP. There a hidden field beside `near` is selected and
 * copied.
 * @throws Error if the browser does not allow it
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
