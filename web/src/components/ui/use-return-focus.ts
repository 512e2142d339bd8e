import { useRef } from 'react'
import { isWriting } from '../../lib/shortcuts.ts'

/** Where the open dialog was opened from: another that takes its place finds the focus nowhere. */
let lastLeft: Element | null = null

/**
 * Handlers for a dialog without a trigger of its own: focus goes back to where it was before, or to the page if that is gone.
 * From an entry of a menu, which is gone with the menu, it goes back to the menu's button.
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
      // What opened next has taken the focus for typing.
      if (isWriting(document.activeElement)) return
      if (before.current instanceof HTMLElement && before.current.isConnected) before.current.focus()
      else document.querySelector('main')?.focus({ preventScroll: true })
    },
  }
}

/** What opened the menu that this element is in. */
function buttonOfMenu(element: Element | null): Element | null {
  const id = element?.closest('[role=menu]')?.getAttribute('aria-labelledby')
  return id ? document.getElementById(id) : null
}
