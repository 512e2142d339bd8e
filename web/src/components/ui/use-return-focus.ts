import { useRef } from 'react'
import { isTypingText } from '../../lib/shortcuts.ts'

/**
 * Element that had the focus before the current dialog opened. If another dialog replaces the current dialog, no element has the
 * focus while the new dialog opens. So when the new dialog closes, it returns the focus to this stored element.
 */
let lastLeft: Element | null = null

/**
 * Returns handlers for a dialog that has no trigger element. The focus returns to the previous element, or to the page if that
 * element was removed. If a menu item opened the dialog, the focus returns to the button of the menu.
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
      // The user already types in another field, so leave the focus there.
      if (isTypingText(document.activeElement)) return
      if (before.current instanceof HTMLElement && before.current.isConnected) before.current.focus()
      else document.querySelector('main')?.focus({ preventScroll: true })
    },
  }
}

function buttonOfMenu(element: Element | null): Element | null {
  const id = element?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  return id ? document.getElementById(id) : null
}
