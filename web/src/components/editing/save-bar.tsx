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

interface SaveBarProps<Shape extends object> {
  readonly draft: Draft<Shape>
  /** What a person calls a field. */
  readonly labelOf: (field: keyof Shape) => string
  readonly busy: boolean
  /** Why the last try failed. */
  readonly error?: unknown
  /** How many fields cannot be saved as they are. */
  readonly faultCount: number
  readonly onSave: () => void
  /** Instead of "Save changes". */
  readonly saveLabel?: string
}

/**
 * Stands at the bottom while there are unsaved changes: save (also Ctrl or Cmd S), discard, the way to the first field that
 * cannot be saved, a word about what somebody else changed meanwhile. Asks before the page is left.
 */
export function SaveBar<Shape extends object>({
  draft,
  labelOf,
  busy,
  error,
  faultCount,
  onSave,
  saveLabel,
}: SaveBarProps<Shape>) {
  const { t } = useTranslation('editing')
  const count = draft.changedFields.length
  const isDirty = count > 0
  const isContested = draft.conflicts.length > 0
  useSaveKey(isDirty && !busy && !isContested, faultCount > 0 ? showFirstFault : onSave)
  return (
    <>
      <LeaveGuard isDirtyNow={draft.isDirtyNow} onLeave={draft.discard} />
      {isDirty && (
        <section className={styles.bar} aria-label={t('bar')}>
          <ConflictAlert draft={draft} labelOf={labelOf} />
          {error !== undefined && (
            <FieldError>
              <ErrorText error={error} />
            </FieldError>
          )}
          <div className="row row-between">
            <span className="grow small">
              <strong>{t('unsaved', { count })}</strong>{' '}
              {faultCount > 0 && (
                <button type="button" className={styles.faults} onClick={showFirstFault}>
                  {t('faults', { count: faultCount })}
                </button>
              )}
            </span>
            <span className="row gap-2">
              <Button variant="ghost" onClick={draft.discard} disabled={busy}>
                {t('discard')}
              </Button>
              <Button
                variant="primary"
                busy={busy}
                disabled={faultCount > 0 || isContested}
                onClick={onSave}
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

/** Puts the cursor into the first field that cannot be saved as it is. */
function showFirstFault(): void {
  const field = document.querySelector<HTMLElement>('[aria-invalid="true"]')
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

interface LeaveGuardProps {
  readonly isDirtyNow: () => boolean
  readonly onLeave: () => void
}

/** Asks before another page of the site is opened; the browser asks before the tab is closed. */
function LeaveGuard({ isDirtyNow, onLeave }: LeaveGuardProps) {
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
