import { operations } from '@capstan/contract/operations'
import { FileText } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useUnloadQuestion } from '../../components/editing/unload-question.ts'
import { Alert, Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { NamedValue, NamedValueList } from '../../components/ui/facts.tsx'
import { FileDrop } from '../../components/ui/file-drop.tsx'
import { useAction } from '../../components/ui/form.ts'
import { announceToScreenReaders } from '../../components/ui/live-region.tsx'
import { Markdown } from '../../components/ui/markdown.tsx'
import { Progress } from '../../components/ui/progress.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { ErrorState, ErrorText } from '../../components/ui/states.tsx'
import { Countdown, RelativeTime, useNow } from '../../components/ui/time.tsx'
import { formatBytes, formatPercent } from '../../lib/format.ts'
import { upload } from '../../lib/http.ts'
import { refreshCall, useCall } from '../../lib/server-state.ts'
import styles from './overview.module.css'
import { writeupAnchor } from './writeup-anchor.ts'
import { isValidWriteup } from './writeup-file.ts'

type WriteupProps = Readonly<{
  gameId: number
  /** Time until which a writeup can be submitted. Undefined while it loads. */
  deadline: string | undefined
}>

export function WriteupSection({ gameId, deadline }: WriteupProps) {
  const { t } = useTranslation('writeup')
  const now = useNow()
  const params = { id: gameId }
  const { data: state, error, mutate } = useCall(operations.getWriteup, { params })
  const over = deadline !== undefined && now > Date.parse(deadline)
  return (
    <Card
      id={writeupAnchor}
      className={styles.writeup}
      title={t('writeup.title')}
      actions={
        state && (
          <Badge tone={state.submitted ? 'ok' : 'warn'}>{state.submitted ? t('writeup.submitted') : t('writeup.missing')}</Badge>
        )
      }
    >
      {!state && (error ? <ErrorState title={t('writeup.failed')} error={error} onRetry={() => mutate()} /> : <SkeletonLines />)}
      {state && (
        <div className="stack">
          <p className="muted">{t('writeup.text')}</p>
          {state.note.trim() !== '' && (
            <section className={cx('stack gap-2', styles.instructions)} aria-label={t('writeup.instructions')}>
              <h3 className="muted small">{t('writeup.instructions')}</h3>
              <Markdown compact source={state.note} />
            </section>
          )}
          <NamedValueList kind="pairs">
            {state.submitted && (
              <NamedValue name={t('writeup.file')} className="line">
                <FileText aria-hidden />
                <span>
                  <bdi className="mono wrap-anywhere">{state.name}</bdi>{' '}
                  <span className="faint">{formatBytes(state.fileSize)}</span>
                </span>
              </NamedValue>
            )}
            <NamedValue name={t('writeup.deadline')}>
              {deadline === undefined ? (
                t('writeup.deadlineUnknown')
              ) : (
                <>
                  <RelativeTime absolute at={deadline} />
                  {!over && (
                    <span className="muted">
                      {' · '}
                      <Countdown until={deadline} /> {t('writeup.left')}
                    </span>
                  )}
                </>
              )}
            </NamedValue>
          </NamedValueList>
          {over ? (
            <Alert tone={state.submitted ? 'info' : 'warn'} title={t('writeup.over')}>
              {!state.submitted && t('writeup.overMissing')}
            </Alert>
          ) : (
            <Upload gameId={gameId} replaces={state.submitted} />
          )}
        </div>
      )}
    </Card>
  )
}

function Upload({ gameId, replaces }: Readonly<{ gameId: number; replaces: boolean }>) {
  const { t } = useTranslation('writeup')
  const params = { id: gameId }
  const [sending, setSending] = useState<{ name: string; share: number }>()
  useUnloadQuestion(() => sending !== undefined)
  const stop = useRef<AbortController>(undefined)
  useEffect(() => () => stop.current?.abort(), [])
  const send = useAction(async (file: File) => {
    if (!isValidWriteup(file)) throw new Error(t('writeup.unfit'))
    const controller = new AbortController()
    stop.current = controller
    setSending({ name: file.name, share: 0 })
    try {
      await upload(operations.submitWriteup, {
        params,
        // Some operating systems report no file type, but the server requires one.
        files: [file.type ? file : new File([file], file.name, { type: 'application/pdf' })],
        signal: controller.signal,
        onProgress: (share) => setSending({ name: file.name, share }),
      })
      await refreshCall(operations.getWriteup, { params })
      announceToScreenReaders(t('writeup.done'))
    } finally {
      setSending(undefined)
    }
  })
  if (sending)
    return (
      <div className="stack gap-3 frame padded" role="status">
        <div className="row row-between gap-2">
          <span className="wrap-anywhere">{t('writeup.sending', { name: sending.name })}</span>
          <span className="number muted">{formatPercent(sending.share)}</span>
        </div>
        <Progress label={t('writeup.sending', { name: sending.name })} value={sending.share} />
        <div className="row">
          <Button size="small" onClick={() => stop.current?.abort()}>
            {t('writeup.cancel')}
          </Button>
        </div>
      </div>
    )
  return (
    <FileDrop
      label={replaces ? t('writeup.replace') : t('writeup.drop')}
      hint={t('writeup.hint')}
      accept=".pdf,application/pdf"
      error={send.error === undefined ? undefined : <ErrorText error={send.error} />}
      onFiles={([file]) => void (file && send.run(file))}
    />
  )
}
