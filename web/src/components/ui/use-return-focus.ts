import { useRef } from 'react'
import { isWriting } from '../../lib/shortcuts.ts'

/**
 * Element that opened the current dialog. If another dialog replaces the current one, it needs this element, because no element
 * has the focus then.
 */
let lastLeft: Element | null = null

/**
 * Returns handlers for a dialog without a trigger. The focus returns to the previous element, or to the page if that element was
 * removed. After a menu item, the focus returns to the menu's button.
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
      // The focus is in another field, where the user types.
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
