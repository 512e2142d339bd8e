import { useEffect } from 'react'
import { useLocation } from 'react-router'

export function useFocusOnAddressedField(): void {
  const { hash, key } = useLocation()
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` changes when the user follows a link to the same address again
  useEffect(() => {
    const field = hash === '' ? null : document.getElementById(hash.slice(1))
    // Show the focus ring even after a click, so that users see the focused field.
    field?.focus({ preventScroll: true, focusVisible: true })
    if (field && !isInSight(field)) field.scrollIntoView({ block: 'center' })
  }, [hash, key])
}

function isInSight(field: HTMLElement) {
  const { top, bottom } = field.getBoundingClientRect()
  return top >= 0 && bottom <= innerHeight
}
