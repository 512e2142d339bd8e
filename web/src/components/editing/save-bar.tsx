import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useBlocker } from 'react-router'
import { Button } from '../ui/button.tsx'
import { AlertDialog } from '../ui/dialog.tsx'
import { FieldError } from '../ui/field.tsx'
import { ErrorText } from '../ui/states.tsx'
import { ConflictAlert } from './conflict-alert.tsx'
import styles from './editing.module.css'
import type { Draft } from './use-draft.ts'

type SaveBarProps<Shape extends object> = Readonly<{
  draft: Draft<Shape>
  /** What a person calls a field. */
  labelOf: (field: keyof Shape) => string
  busy: boolean
  /** Why the last try failed. */
  error?: unknown
  /** The field that shows `error` itself, because the server refused it. */
  refused?: keyof Shape | undefined
  /** Fields that cannot be saved as they are. */
  faulty: readonly (keyof Shape)[]
  onSave: () => void
  /** After the changes were dropped: what the server said about them is over. */
  onDiscard?: () => void
  /** The way to the first field that cannot be saved, where that is not in sight of the page. */
  onShowFault?: () => void
  /** Instead of "Save changes". */
  saveLabel?: string
  /** Stands there before anything is typed: what is edited does not exist yet. */
  isNew?: boolean
}>

/**
 * Stands at the bottom while there are unsaved changes: save (also Ctrl or Cmd S), discard, the way to the first field that
 * cannot be saved, a word about what somebody else changed meanwhile. Asks before the page is left.
 */
export function SaveBar<Shape extends object>({
  draft,
  labelOf,
  busy,
  error,
  refused,
  faulty,
  onSave,
  onDiscard,
  onShowFault = focusFirstFault,
  saveLabel,
  isNew = false,
}: SaveBarProps<Shape>) {
  const { t } = useTranslation('editing')
  const count = draft.changedFields.length
  const isDirty = count > 0
  const isContested = draft.conflicts.length > 0
  useSaveKey(isDirty && !busy && !isContested, faulty.length > 0 ? onShowFault : onSave)
  // It may be far above the bar: whoever saves is led there.
  useEffect(() => {
    if (error !== undefined && refused !== undefined) onShowFault()
  }, [error, refused, onShowFault])
  const discard = () => {
    draft.discard()
    onDiscard?.()
  }
  const faultCount = new Set(refused === undefined ? faulty : [...faulty, refused]).size
  return (
    <>
      <LeaveGuard isDirtyNow={draft.isDirtyNow} onLeave={draft.discard} />
      {(isDirty || isNew) && (
        <section className={styles.bar} aria-label={t('bar')}>
          <ConflictAlert draft={draft} labelOf={labelOf} />
          {error !== undefined && refused === undefined && (
            <FieldError>
              <ErrorText error={error} />
            </FieldError>
          )}
          <div className="row row-between">
            <span className="grow small">
              {isDirty && <strong>{t('unsaved', { count })}</strong>}{' '}
              {faultCount > 0 && isDirty && (
                <button type="button" className={styles.faults} onClick={() => onShowFault()}>
                  {t('faults', { count: faultCount })}
                </button>
              )}
            </span>
            <span className="row gap-2">
              {isDirty && (
                <Button variant="ghost" onClick={discard} disabled={busy}>
                  {t('discard')}
                </Button>
              )}
              <Button
                variant="primary"
                busy={busy}
                disabled={(isDirty ? faulty.length > 0 : !isNew) || isContested}
                onClick={isDirty ? onSave : showFirstRequired}
                aria-keyshortcuts="Control+S"
              >
                {saveLabel ?? t('save')}
              </Button>
            </span>
          </div>
        </section>
      )}
    </>
  )
}

/** Puts the cursor where a thing that does not exist yet begins. */
function showFirstRequired(): void {
  document.querySelector<HTMLElement>('main [required]')?.focus()
}

/** Puts the cursor into the first field that cannot be saved as it is. */
export function focusFirstFault(within: ParentNode = document): void {
  const field = within.querySelector<HTMLElement>('[aria-invalid="true"]')
  field?.focus({ preventScroll: true })
  field?.scrollIntoView({ block: 'center' })
}

/** Ctrl or Cmd S saves instead of storing the page. */
function useSaveKey(enabled: boolean, onSave: () => void): void {
  const latest = useRef(onSave)
  latest.current = onSave
  useEffect(() => {
    const listen = (event: KeyboardEvent) => {
      if (event.key.toLowerCase() !== 's' || !(event.ctrlKey || event.metaKey) || event.altKey || event.shiftKey) return
      event.preventDefault()
      if (enabled) latest.current()
    }
    addEventListener('keydown', listen)
    return () => removeEventListener('keydown', listen)
  }, [enabled])
}

type LeaveGuardProps = Readonly<{
  /** Asks the present, not the last render. */
  isDirtyNow: () => boolean
  /** Drops what was typed. */
  onLeave: () => void
}>

/** Asks before what was typed is left for another page, or with the tab. A page may have one. */
export function LeaveGuard({ isDirtyNow, onLeave }: LeaveGuardProps) {
  const { t } = useTranslation('editing')
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => isDirtyNow() && currentLocation.pathname !== nextLocation.pathname,
  )
  useEffect(() => {
    const ask = (event: BeforeUnloadEvent) => isDirtyNow() && event.preventDefault()
    addEventListener('beforeunload', ask)
    return () => removeEventListener('beforeunload', ask)
  }, [isDirtyNow])
  return (
    <AlertDialog
      open={blocker.state === 'blocked'}
      onOpenChange={(open) => !open && blocker.state === 'blocked' && blocker.reset()}
      title={t('leaveTitle')}
      description={t('leaveText')}
      confirm={t('leave')}
      cancel={t('stay')}
      danger
      onConfirm={() => {
        onLeave()
        if (blocker.state === 'blocked') blocker.proceed()
      }}
    />
  )
}
