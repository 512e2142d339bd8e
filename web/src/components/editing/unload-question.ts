import { useEffect } from 'react'

/**
 * Asks for confirmation before the user closes the tab or reloads the page.
 * @param isDirtyNow returns true if the page has input that would be lost
 */
export function useUnloadQuestion(isDirtyNow: () => boolean): void {
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => isDirtyNow() && event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isDirtyNow])
}
