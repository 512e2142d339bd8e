import { InputLimits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import type { RejudgeEffect } from '@capstan/contract/rejudging'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Alert } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { ConfirmationDialog } from '../../components/ui/dialog.tsx'
import { Field, FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Textarea } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { formatNumber } from '../../lib/format.ts'
import { call } from '../../lib/http.ts'
import { removeIsolationCharacters } from '../../lib/i18n.ts'
import styles from './rejudge-panel.module.css'
import type { Rejudging } from './use-rejudging.ts'

type RejudgePanelProps = Readonly<{
  gameId: number
  title: string
  rejudging: Rejudging
}>

/** Shows what a rejudge would change or has changed, and offers the next action. */
export function RejudgePanel({ gameId, title, rejudging }: RejudgePanelProps) {
  const { t } = useTranslation('admin-challenges')
  const { stage, look, rejudge, undo, dismiss } = rejudging
  const [notifies, setNotifies] = useState(false)
  const failure = look.error ?? rejudge.error ?? undo.error
  const panel = useRef<HTMLDivElement>(null)
  // Scrolls to the panel. On a phone it may be far from the change that caused the rejudge.
  useEffect(() => {
    if (stage.name !== 'idle') panel.current?.scrollIntoView?.({ block: 'nearest' })
  }, [stage.name])
  const close = (
    <Button variant="ghost" onClick={dismiss}>
      {t('rejudge.close')}
    </Button>
  )
  const undoButton = (
    <Button busy={undo.busy} onClick={() => void undo.run()}>
      {t('rejudge.undo')}
    </Button>
  )
  return (
    <div ref={panel} className={styles.panel} hidden={stage.name === 'idle' && !look.busy && failure === undefined}>
      {look.busy && stage.name === 'idle' && (
        <p className="small muted" role="status">
          {t('rejudge.looking')}
        </p>
      )}
      {stage.name === 'asks' && stage.forecast.changed > 0 && (
        <Alert
          tone="warn"
          title={t('rejudge.question', { count: stage.forecast.changed })}
          actions={
            <>
              <Button variant="primary" busy={rejudge.busy} onClick={() => void rejudge.run()}>
                {t('rejudge.action')}
              </Button>
              <Button onClick={dismiss}>{t('rejudge.notNow')}</Button>
            </>
          }
        >
          <p>
            {stage.flagsChanged && `${t('rejudge.flagsChanged')} `}
            {t('rejudge.undoText')}
          </p>
          <Effect effect={stage.forecast} />
        </Alert>
      )}
      {stage.name === 'asks' && stage.forecast.changed === 0 && (
        <Alert
          title={t('rejudge.nothing')}
          actions={
            <>
              {stage.forecast.last?.canUndo && undoButton}
              {close}
            </>
          }
        >
          <p>{t('rejudge.nothingText', stage.forecast)}</p>
          {stage.forecast.last && (
            <>
              <p>
                {t('rejudge.last')}: <RelativeTime at={stage.forecast.last.time} />
              </p>
              <Effect effect={stage.forecast.last} />
              {!stage.forecast.last.canUndo && <p>{t('rejudge.cannotUndo')}</p>}
            </>
          )}
        </Alert>
      )}
      {stage.name === 'done' && (
        <Alert
          tone="ok"
          title={t('rejudge.done', { count: stage.effect.changed })}
          actions={
            <>
              <Button variant="primary" onClick={() => setNotifies(true)}>
                {t('rejudge.notify')}
              </Button>
              {stage.effect.canUndo && undoButton}
              {close}
            </>
          }
        >
          <Effect effect={stage.effect} />
        </Alert>
      )}
      {stage.name === 'undone' && (
        <Alert tone="ok" title={t('rejudge.undone')} actions={close}>
          {t('rejudge.undoneText')}
        </Alert>
      )}
      {failure !== undefined && (
        <FieldError>
          <ErrorText error={failure} />
        </FieldError>
      )}
      {notifies && <NotifyPlayers gameId={gameId} title={title} onClose={() => setNotifies(false)} />}
    </div>
  )
}

const teamCounts = ['gaining', 'losing', 'moving'] as const
const answerCounts = ['newlyCorrect', 'newlyIncorrect'] as const

/** Shows only the counts that are not zero. */
function Effect({ effect }: { readonly effect: RejudgeEffect }) {
  const { t } = useTranslation('admin-challenges')
  const groups = [
    { label: t('rejudge.team'), counts: teamCounts },
    { label: t('rejudge.answer'), counts: answerCounts },
  ]
  return (
    <dl className={cx('row start bright', styles.effect)}>
      {groups
        .filter(({ counts }) => counts.some((name) => effect[name] > 0))
        .map(({ label, counts }) => (
          <div key={label} className="aligned">
            <dt className="muted tiny">{label}</dt>
            {counts
              .filter((name) => effect[name] > 0)
              .map((name) => (
                <dd key={name} data-count={name}>
                  <b className="number">{formatNumber(effect[name])}</b> {t(`rejudge.${name}`)}
                </dd>
              ))}
          </div>
        ))}
    </dl>
  )
}

type NotifyPlayersProps = Readonly<{
  gameId: number
  title: string
  onClose: () => void
}>

function NotifyPlayers({ gameId, title, onClose }: NotifyPlayersProps) {
  const { t } = useTranslation('admin-challenges')
  const [content, setContent] = useState<string>(() => removeIsolationCharacters(t('rejudge.notice', { title })))
  const publish = useAction(async () => {
    await call(operations.addNotice, { params: { id: gameId }, body: { content } })
    onClose()
    showToast({ tone: 'ok', title: t('rejudge.notified') })
  })
  return (
    <ConfirmationDialog
      open
      onOpenChange={onClose}
      title={t('rejudge.notify')}
      description={t('rejudge.notifyText')}
      confirm={t('rejudge.notify')}
      busy={publish.busy}
      isIncomplete={content.trim() === ''}
      error={publish.error === undefined ? undefined : <ErrorText error={publish.error} />}
      onConfirm={() => void publish.run()}
    >
      <Field label={t('rejudge.noticeText')}>
        {(control) => (
          <Textarea
            {...control}
            rows={4}
            value={content}
            maxLength={InputLimits.maxLongTextLength}
            onChange={(event) => setContent(event.target.value)}
          />
        )}
      </Field>
    </ConfirmationDialog>
  )
}
