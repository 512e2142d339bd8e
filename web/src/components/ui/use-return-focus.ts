import { useRef } from 'react'
import { isWriting } from '../../lib/shortcuts.ts'

/** Element that opened the current dialog. A dialog that replaces it needs this element, because nothing has the focus then. */
let lastLeft: Element | null = null

/**
 * Handlers for a dialog without a trigger. Focus returns to the previous element, or to the page if that element was removed.
 * After a menu item, focus returns to the menu's button.
 */
export function useReturnFocus() {
  const before = useRef<Element | null>(null)
  return {
    remember: () => {
      const active = document.activeElement
      before.current = active === document.body ? lastLeft : (buttonOfMenu(active) ?? active)
      lastLeft = before.current
    },
    giveBack: (event: Event) => {
      event.preventDefault()
      lastLeft = null
      // Another element was opened and has the focus for typing.
      if (isWriting(document.activeElement)) return
      if (before.current instanceof HTMLElement && before.current.isConnected) before.current.focus()
      else document.querySelector('main')?.focus({ preventScroll: true })
    },
  }
}

function buttonOfMenu(element: Element | null): Element | null {
  const id = element?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  return id ? document.getElementById(id) : null
}
