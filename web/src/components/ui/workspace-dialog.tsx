import { Dialog as Radix } from 'radix-ui'
import { type ReactNode, useEffect, useRef } from 'react'
import { isWriting } from '../../lib/shortcuts.ts'
import styles from './workspace-dialog.module.css'

type WorkspaceDialogProps = Readonly<{
  /** Which of several it shows. */
  id?: number
  title: ReactNode
  /** Before the title. */
  lead?: ReactNode
  /** After the title. */
  facts?: ReactNode
  /** Step and close buttons. */
  steps?: ReactNode
  onClose: () => void
  /** Where the focus goes afterwards. */
  returnFocus: () => HTMLElement | null | undefined
  children: ReactNode
}>

/**
 * A large dialog below a game's frame and above the dock: both stay visible and usable, what lies behind does not
 * (give it `inert`). Render it where it opens, not in a portal. Escape and a click beside it close it.
 */
export function WorkspaceDialog({ id, title, lead, facts, steps, onClose, returnFocus, children }: WorkspaceDialogProps) {
  const frame = useRef<HTMLDivElement>(null)
  // What had the focus may have gone with the one before; what is pasted next is still meant for this dialog.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when it shows another
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
          // A field that has the focus keeps it; otherwise the frame, so that the keys for next and previous work at once.
          event.preventDefault()
          if (event.target instanceof HTMLElement && !isWriting(document.activeElement))
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
