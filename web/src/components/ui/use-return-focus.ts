import { useRef } from 'react'

/** Handlers for a dialog without a trigger of its own: focus goes back to where it was before, or to the page if that is gone. */
export function useReturnFocus() {
  const before = useRef<Element | null>(null)
  return {
    remember: () => {
      before.current = document.activeElement
    },
    giveBack: (event: Event) => {
      event.preventDefault()
      if (before.current instanceof HTMLElement && before.current.isConnected) before.current.focus()
      else document.querySelector('main')?.focus({ preventScroll: true })
    },
  }
}
