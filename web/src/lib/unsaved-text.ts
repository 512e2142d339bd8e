type TextField = HTMLInputElement | HTMLTextAreaElement

const typed = new Set<TextField>()

function isTextField(target: EventTarget | null): target is TextField {
  return (
    target instanceof HTMLTextAreaElement ||
    (target instanceof HTMLInputElement && ['text', 'password', 'email', 'url', 'tel', 'number'].includes(target.type))
  )
}

addEventListener(
  'input',
  ({ target }) => {
    // Ignore a field whose text is stored as a draft, because the text of such a field survives a reload.
    if (isTextField(target) && !target.closest('[data-draft]')) typed.add(target)
  },
  { capture: true },
)

/** True if a reload would lose text that the user has typed. */
export function hasUnsavedText(): boolean {
  for (const field of typed) if (!field.isConnected) typed.delete(field)
  return [...typed].some(({ value }) => value.trim() !== '')
}
