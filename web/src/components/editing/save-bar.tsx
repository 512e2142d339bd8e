import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { useBlocker } from 'react-router'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { ConfirmationDialog } from '../ui/dialog.tsx'
import { FieldError } from '../ui/field.tsx'
import { ErrorText } from '../ui/states.tsx'
import { ConflictAlert } from './conflict-alert.tsx'
import styles from './editing.module.css'
import { useUnloadQuestion } from './unload-question.ts'
import type { Draft } from './use-draft.ts'

type SaveBarProps<Shape extends object> = Readonly<{
  draft: Draft<Shape>
  labelOf: (field: keyof Shape) => string
  busy: boolean
  /** Error of the last attempt to save. */
  error?: unknown
  /** Field that shows `error` next to its input, because the server refused the value of this field. */
  refused?: keyof Shape | undefined
  /** Fields with invalid values. */
  faulty: readonly (keyof Shape)[]
  onSave: () => void
  /** Function that is called after the user discards the edits. It clears the server's errors. */
  onDiscard?: () => void
  /** Opens the hidden part of the page that contains the first invalid field. */
  onShowFault?: () => void
  /** Label of the save button. The default is "Save changes". */
  saveLabel?: string
  /** True if the form creates an item. */
  isNew?: boolean
}>

/**
 * Bar at the bottom of a page with unsaved edits. It has buttons to save and to discard the edits, and Ctrl or Cmd S saves, too.
 * The bar shows the first invalid field and concurrent changes, and asks for confirmation before the user leaves the page.
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
  onShowFault = focusFirstRequiredField,
  saveLabel,
  isNew = false,
}: SaveBarProps<Shape>) {
  const { t } = useTranslation('editing')
  const count = draft.changedFields.length
  const isDirty = count > 0
  const isContested = draft.conflicts.length > 0
  useSaveKey(isDirty && !busy && !isContested, faulty.length > 0 ? onShowFault : onSave)
  // The refused field may be out of view, so show it.
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
        <section className={cx('stack gap-3 float', styles.bar)} aria-label={t('bar')}>
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
                <button type="button" className={cx('toned-text', styles.faults)} data-tone="bad" onClick={() => onShowFault()}>
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

/** Focuses the first required field of a new item. */
function showFirstRequired(): void {
  document.querySelector<HTMLElement>('main [required]')?.focus()
}

export function focusFirstRequiredField(within: ParentNode = document): void {
  const field = within.querySelector<HTMLElement>('[aria-invalid="true"]')
  field?.focus({ preventScroll: true })
  field?.scrollIntoView({ block: 'center' })
}

/** Makes Ctrl or Cmd S save the form instead of the web page. */
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
  /** True if the page has unsaved edits now. The state of the last render may be stale. */
  isDirtyNow: () => boolean
  onLeave: () => void
}>

/**
 * Asks for confirmation before the user leaves a page with unsaved edits, by navigation or by closing the tab. A page has at most
 * one `LeaveGuard`.
 */
export function LeaveGuard({ isDirtyNow, onLeave }: LeaveGuardProps) {
  const { t } = useTranslation('editing')
  const blocker = useBlocker(
    ({ currentLocation, nextLocation }) => isDirtyNow() && currentLocation.pathname !== nextLocation.pathname,
  )
  useUnloadQuestion(isDirtyNow)
  return (
    <ConfirmationDialog
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
