import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useRef } from 'react'
import { isTypingText } from '../../lib/shortcuts.ts'
import styles from './workspace-dialog.module.css'

type WorkspaceDialogProps = Readonly<{
  /** Id of the item in the dialog. If it changes, the dialog shows another item. */
  id?: number
  title: ReactNode
  lead?: ReactNode
  /** Content after the title of the dialog. */
  facts?: ReactNode
  /** Buttons for previous, next and close. */
  steps?: ReactNode
  onClose: () => void
  /** Returns the element to focus after the dialog closes. */
  returnFocus: () => HTMLElement | null | undefined
  children: ReactNode
}>

/**
 * Large dialog between a game's navigation and the terminal dock. Both remain usable while the dialog is open. The content behind
 * the dialog needs `inert`. Render the dialog in place, not in a portal. Escape or a click outside closes the dialog.
 */
export function WorkspaceDialog({ id, title, lead, facts, steps, onClose, returnFocus, children }: WorkspaceDialogProps) {
  const frame = useRef<HTMLDivElement>(null)
  // The focused element may have been removed with the previous item. Move the focus to the dialog, so that the dialog receives
  // the next paste.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the dialog shows another item
  useEffect(() => {
    if (document.activeElement === document.body) frame.current?.focus({ preventScroll: true })
  }, [id])
  return (
    <Radix.Root open modal={false} onOpenChange={(open) => !open && onClose()}>
      <div className={styles.scrim} aria-hidden onPointerDown={onClose} />
      <Radix.Content
        ref={frame}
        className={styles.frame}
        data-workspace
        aria-describedby={undefined}
        onOpenAutoFocus={(event) => {
          // A field that has the focus retains it. Otherwise the dialog gets the focus, so that the keys for next and previous
          // work immediately.
          event.preventDefault()
          if (event.target instanceof HTMLElement && !isTypingText(document.activeElement))
            event.target.focus({ preventScroll: true })
        }}
        onCloseAutoFocus={(event) => {
          event.preventDefault()
          returnFocus()?.focus({ preventScroll: true })
        }}
        onInteractOutside={(event) => event.preventDefault()}
        onEscapeKeyDown={(event) => {
          if (event.target instanceof Element && event.target.closest('[data-dock]')) event.preventDefault()
        }}
      >
        <header className={styles.head}>
          {lead}
          <Radix.Title asChild>
            <h2 className={styles.title}>{title}</h2>
          </Radix.Title>
          {facts}
          <div className={styles.steps}>{steps}</div>
        </header>
        {children}
      </Radix.Content>
    </Radix.Root>
  )
}
