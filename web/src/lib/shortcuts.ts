import { useEffect, useRef } from 'react'

/** Keys of a shortcut: one (`/`, `?`, `j`) or a sequence (`g c`). */
export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>

const sequenceMs = 900

/** True while the visitor writes somewhere: single keys then belong to the text. */
export const isWriting = (target: EventTarget | null): boolean =>
  target instanceof HTMLElement && (target.isContentEditable || /^(INPUT|TEXTAREA|SELECT)$/.test(target.tagName))

/** Listens to shortcuts while mounted; silent while the visitor writes or a dialog is open, unless `inDialogs`. */
export function useShortcuts(shortcuts: Shortcuts, { enabled = true, inDialogs = false } = {}): void {
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  useEffect(() => {
    if (!enabled) return
    let before = ''
    let beforeAt = 0
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isWriting(event.target)) return
      if (!inDialogs && document.querySelector('[role=dialog],[role=alertdialog]')) return
      const sequence = event.timeStamp - beforeAt < sequenceMs ? `${before} ${event.key}` : ''
      const act = latest.current[sequence] ?? latest.current[event.key]
      before = event.key
      beforeAt = event.timeStamp
      if (!act) return
      before = ''
      event.preventDefault()
      act(event)
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [enabled, inDialogs])
}
