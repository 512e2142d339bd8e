import { useRef } from 'react'

/**
 * Handlers for a dialog without a trigger of its own: focus goes back to where it was before, or to the page if that is gone.
 * From an entry of a menu, which is gone with the menu, it goes back to the menu's button.
 */
export function useReturnFocus() {
  const before = useRef<Element | null>(null)
  return {
    remember: () => {
      before.current = buttonOfMenu(document.activeElement) ?? document.activeElement
    },
    giveBack: (event: Event) => {
      event.preventDefault()
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
