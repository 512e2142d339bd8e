import { useEffect, useRef } from 'react'
import { isOpening } from './opening.ts'

/** Keys of a shortcut: one (`/`, `?`, `j`) or a sequence (`g c`). */
export type Shortcuts = Readonly<Record<string, (event: KeyboardEvent) => void>>

const sequenceMs = 900

const wordless = /^(radio|checkbox|button|submit|reset|file|color|range)$/

/** True while the visitor writes somewhere: single keys then belong to the text. */
export const isWriting = (target: EventTarget | null): boolean => {
  if (target instanceof HTMLInputElement) return !wordless.test(target.type)
  return target instanceof HTMLElement && (target.isContentEditable || /^(TEXTAREA|SELECT)$/.test(target.tagName))
}

const movesByArrows = (target: EventTarget | null) =>
  target instanceof HTMLInputElement && (target.type === 'radio' || target.type === 'range')

const isPressedByEnter = (target: EventTarget | null) =>
  target instanceof Element && target.closest('a,button,summary,[role=tab]') !== null

const scrollsSideways = (target: EventTarget | null) =>
  target instanceof HTMLElement && target !== document.body && target.scrollWidth > target.clientWidth

/** True in the dock of terminals, whose keys all belong to the terminal. */
export const isAtTerminal = (target: EventTarget | null) => target instanceof Element && target.closest('[data-dock]') !== null

/** Keys that the control with the focus uses itself. */
const isTaken = ({ key, target }: KeyboardEvent) =>
  isWriting(target) ||
  // A field that took the focus on this very key gets the letter.
  isWriting(document.activeElement) ||
  isAtTerminal(target) ||
  (key.startsWith('Arrow') && movesByArrows(target)) ||
  (key === 'Enter' && isPressedByEnter(target)) ||
  (/^Arrow(Left|Right)$/.test(key) && scrollsSideways(target))

/** A key that is held goes on moving, but does nothing twice. */
const isHeldDeed = ({ key, repeat }: KeyboardEvent) => repeat && !/^(j|k|Arrow\w+)$/.test(key)

const dialogs = ':is([role=dialog],[role=alertdialog])'

interface ShortcutOptions {
  readonly enabled?: boolean
  /** True if the keys also work in a workspace dialog, which leaves the frame of the game in use. Never for letters. */
  readonly inWorkspace?: boolean
}

/** Listens to shortcuts while mounted; silent while the visitor writes, or while a dialog or page is open or opening. */
export function useShortcuts(shortcuts: Shortcuts, { enabled = true, inWorkspace = false }: ShortcutOptions = {}): void {
  const silencing = inWorkspace ? `${dialogs}:not([data-workspace])` : dialogs
  const latest = useRef(shortcuts)
  latest.current = shortcuts
  useEffect(() => {
    if (!enabled) return
    let before = ''
    let beforeAt = 0
    const listen = (event: KeyboardEvent) => {
      if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented || isTaken(event) || isHeldDeed(event)) return
      if (isOpening() || document.querySelector(silencing)) {
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
