import { CloudOff } from 'lucide-react'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import type { FailedProps } from '../../components/ui/late.tsx'
import { typeAhead } from '../../lib/type-ahead.ts'
import styles from './board.module.css'
import { saveTypedFlag } from './save-typed.ts'

type ChallengeFailedProps = FailedProps &
  Readonly<{
    id: number
    onClose: () => void
  }>

/**
 * Dialog that appears if the dialog of a challenge failed to load. It is a native dialog, because a native dialog needs no other
 * file.
 */
export function ChallengeFailedDialog({ id, onRetry, onClose }: ChallengeFailedProps) {
  const { t } = useTranslation()
  const dialog = useRef<HTMLDialogElement>(null)
  useEffect(() => {
    saveTypedFlag(id)
    typeAhead.cancel()
    if (!dialog.current?.open) dialog.current?.showModal()
  }, [id])
  return (
    <dialog
      ref={dialog}
      className={cx('float', styles.failed)}
      aria-labelledby="challenge-failed"
      onCancel={(event) => {
        event.preventDefault()
        onClose()
      }}
    >
      <div className="stack gap-3 centered">
        <CloudOff aria-hidden />
        <h2 id="challenge-failed">{t('error.title')}</h2>
        <p role="status" className="muted">
          {t('error.fileText')}
        </p>
        <div className="row gap-2">
          <Button variant="primary" onClick={onRetry}>
            {t('action.retry')}
          </Button>
          <Button onClick={onClose}>{t('action.close')}</Button>
        </div>
      </div>
    </dialog>
  )
}
