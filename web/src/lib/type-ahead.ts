import { isFocusInTerminal, isTypingText } from './shortcuts.ts'

/** Field that the page expects, but that does not exist yet. The user already types its text. */
type Expectation = Readonly<{
  key: string
  /** Returns false if the field will no longer appear. */
  isPending: () => boolean
}>

type ExpectOptions = Partial<Pick<Expectation, 'isPending'>> &
  Readonly<{
    /** True to focus the hidden field immediately, so that input methods work from the first key. */
    isEager?: boolean
  }>

function always() {
  return true
}

/** True if the device has a mouse or touchpad. On such a device, focusing a field opens no on-screen keyboard. */
export function hasPointingDevice(): boolean {
  return matchMedia('(hover: hover) and (pointer: fine)').matches
}

/**
 * True if the key press enters text. Input methods report the key `Process`, and dead keys report `Dead`. AltGr enters text,
 * although browsers report it as Ctrl and Alt.
 */
function isTyped(event: KeyboardEvent) {
  return (
    (([...event.key].length === 1 && event.key !== ' ') || event.key === 'Process' || event.key === 'Dead') &&
    !event.metaKey &&
    (event.getModifierState('AltGraph') || !(event.ctrlKey || event.altKey) || isSymbolOfOption(event))
  )
}

/**
 * True if the user holds the Option key of a Mac to enter a symbol, such as a brace or bracket. Letters and digits are excluded,
 * because on other systems Alt with a letter opens a browser menu.
 */
function isSymbolOfOption({ key, altKey, ctrlKey }: KeyboardEvent) {
  return altKey && !ctrlKey && !/^[a-z0-9]$/i.test(key)
}

const above = ':is([role=dialog],[role=alertdialog]):not([data-workspace]),[role=menu],[role=listbox]'

function insert(field: HTMLInputElement, text: string): void {
  field.setRangeText(text, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end')
  field.dispatchEvent(new Event('input', { bubbles: true }))
}

/**
 * Collects the text that the user types before a field exists or has the focus. Until then, a hidden field has the focus. The
 * browser therefore handles input methods, dead keys, corrections and paste, and no key triggers a shortcut.
 */
export function createTypeAhead(page: Document) {
  let expected: Expectation | undefined
  let field: HTMLInputElement | undefined
  let isComposing = false
  let wasEntered = false
  const catcher = page.createElement('input')
  catcher.className = 'visually-hidden type-ahead'
  catcher.tabIndex = -1
  catcher.autocomplete = 'off'
  catcher.spellcheck = false
  catcher.dataset.draft = ''
  catcher.addEventListener('compositionstart', () => {
    isComposing = true
  })
  catcher.addEventListener('compositionend', () => {
    isComposing = false
  })
  catcher.addEventListener('keydown', ({ key, repeat }) => {
    if (key === 'Enter' && !repeat && !isComposing && catcher.value.trim() !== '') wasEntered = true
  })

  const place = (): HTMLInputElement => {
    if (field?.isConnected) return field
    if (!catcher.isConnected) page.body.append(catcher)
    return catcher
  }
  const focus = () => place().focus({ preventScroll: true })

  const takesKeys = (target: EventTarget | null): boolean => {
    if (expected && !expected.isPending() && !field) forget()
    return (
      (expected !== undefined || field?.isConnected === true) &&
      !(isTypingText(target) && target !== catcher) &&
      !isFocusInTerminal(target) &&
      !page.querySelector(above)
    )
  }

  const press = (event: KeyboardEvent) => {
    if (!event.defaultPrevented && isTyped(event) && takesKeys(event.target)) focus()
  }
  const paste = (event: ClipboardEvent) => {
    const text = event.clipboardData?.getData('text/plain').trim() ?? ''
    if (text === '' || !takesKeys(event.target)) return
    event.preventDefault()
    focus()
    const lines = text.split('\n').map((line) => line.trim())
    insert(place(), lines.join(''))
  }

  const forget = () => {
    expected = undefined
    catcher.value = ''
    wasEntered = false
    catcher.remove()
  }

  const handOver = (field: HTMLInputElement) => {
    const [text, isEntered, hadFocus] = [catcher.value, wasEntered, page.activeElement === catcher]
    forget()
    const active = page.activeElement
    const isFree = hadFocus || !(isTypingText(active) || isFocusInTerminal(active) || page.querySelector(above))
    if (isFree && (hadFocus || hasPointingDevice())) field.focus({ preventScroll: true })
    if (text !== '') insert(field, text)
    if (isEntered) field.form?.requestSubmit()
  }

  /** Moves the text to the field when the input method has finished composing. */
  const handOverComposed = (element: HTMLInputElement) => {
    if (isComposing && page.activeElement === catcher)
      catcher.addEventListener('compositionend', () => element.isConnected && handOver(element), { once: true })
    else handOver(element)
  }

  return {
    listen(): () => void {
      page.defaultView?.addEventListener('keydown', press, { capture: true })
      page.defaultView?.addEventListener('paste', paste, { capture: true })
      return () => {
        page.defaultView?.removeEventListener('keydown', press, { capture: true })
        page.defaultView?.removeEventListener('paste', paste, { capture: true })
      }
    },

    /**
     * Prepares for a field that does not exist yet. Text that the user types now will move to the field.
     * @param label name of the hidden field for screen readers
     */
    expect(key: string, label: string, { isEager = false, isPending = always }: ExpectOptions = {}): void {
      if (expected?.key === key) return
      forget()
      const [active, before] = [page.activeElement, field]
      field = undefined
      expected = { key, isPending }
      catcher.ariaLabel = label
      // The focused field belongs to the previous dialog and will be removed, so move the focus to the hidden field.
      const isSuccessor = before !== undefined && active === before
      if (isSuccessor) focus()
      else if (isEager && !isTypingText(active) && !isFocusInTerminal(active) && !page.querySelector(above)) focus()
    },

    /** Discards the text that waits for the field with this key. Without a key, discards all waiting text. */
    cancel(key?: string): void {
      if (key === undefined || expected?.key === key) forget()
    },

    typedFor: (key: string): string => (expected?.key === key ? catcher.value : ''),

    /** Moves the focus and the typed text to the field. Does nothing if the text is for another field. */
    claim(key: string, element: HTMLInputElement): void {
      if (expected?.key === key) handOverComposed(element)
    },

    /**
     * Moves the focus and the typed text to the field. The field also receives later keys that the user types outside of fields.
     * @returns a function to call when the field is removed
     */
    own(key: string, element: HTMLInputElement): () => void {
      if (expected && expected.key !== key) return () => undefined
      field = element
      handOverComposed(element)
      return () => {
        if (field === element) field = undefined
      }
    },
  }
}

export function keyOfFlagDraft(challengeId: number | string): string {
  return `flag-${challengeId}`
}

export const typeAhead = createTypeAhead(document)
