import { useEffect, useRef } from 'react'
import { isAnyViewOpening } from './opening.ts'

/** Handlers by shortcut. A shortcut is a single key (`/`, `?`, `j`) or a sequence of keys (`g c`). */
export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>

const sequenceMs = 900

const wordless = /^(radio|checkbox|button|submit|reset|file|color|range)$/

/** True while the visitor types. Single keys then belong to the text. */
export function isTypingText(target: EventTarget | null): boolean {
  if (target instanceof HTMLInputElement) return !wordless.test(target.type)
  return target instanceof HTMLElement && (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName))
}

function movesByArrows(target: EventTarget | null) {
  return target instanceof HTMLInputElement && (target.type === 'radio' || target.type === 'range')
}

function isPressedByEnter(target: EventTarget | null) {
  return target instanceof Element && target.closest('a,button,summary,[role=tab]') !== null
}

function scrollsSideways(target: EventTarget | null) {
  return target instanceof HTMLElement && target !== document.body && target.scrollWidth > target.clientWidth
}

/** True if the target is inside the terminal dock. The dock receives all keys. */
export function isFocusInTerminal(target: EventTarget | null) {
  return target instanceof Element && target.closest('[data-dock]') !== null
}

/** True for keys that the focused control handles itself. */
function isTaken({ key, target }: KeyboardEvent) {
  return (
    isTypingText(target) ||
    // An earlier handler of this key press may have moved the focus to a field. The field then receives the letter.
    isTypingText(document.activeElement) ||
    isFocusInTerminal(target) ||
    (key.startsWith('Arrow') && movesByArrows(target)) ||
    (key === 'Enter' && isPressedByEnter(target)) ||
    (/^Arrow(Left|Right)$/.test(key) && scrollsSideways(target))
  )
}

/**
 * True if the event must be ignored because the browser repeats it while the user holds the key. Always false for movement keys
 * (`j`, `k`, arrows), because movements may repeat.
 */
function isRepeatedAction({ key, repeat }: KeyboardEvent) {
  return repeat && !/^(j|k|Arrow\w+)$/.test(key)
}

const dialogs = ':is([role=dialog],[role=alertdialog])'

type ShortcutOptions = Readonly<{
  enabled?: boolean
  /**
   * True if the shortcuts also work while a workspace dialog is open. This dialog leaves the navigation of the game usable.
   */
  inWorkspace?: boolean
}>

/**
 * Handles shortcuts while the component is mounted. It ignores them while the visitor types, while a dialog is open, and while a
 * dialog or page is opening.
 */
export function useShortcuts(shortcuts: Shortcuts, { enabled = true, inWorkspace = false }: ShortcutOptions = {}): void {
  const silencing = inWorkspace ? `${dialogs}:not([data-workspace])` : dialogs
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  useEffect(() => {
    if (!enabled) return
    let before = ''
    let beforeAt = 0
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTaken(event) || isRepeatedAction(event))
        return
      if (isAnyViewOpening() || document.querySelector(silencing)) {
        before = ''
        return
      }
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
  }, [enabled, silencing])
}
