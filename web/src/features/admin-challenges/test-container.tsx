import type { ChallengeEdit } from '@capstan/contract/challenges'
import { operations, ownOperations } from '@capstan/contract/operations'
import { Play, Square, SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useTerminals } from '../../components/instances/terminal/terminals.ts'
import { Alert, Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { Countdown, useNow } from '../../components/ui/time.tsx'
import { serverNow } from '../../lib/clock.ts'
import { call } from '../../lib/http.ts'
import { refresh, setCallData } from '../../lib/server-state.ts'
import styles from './editor.module.css'
import { testEntryOf } from './test-entry.ts'
import { TestLog } from './test-log.tsx'

interface TestContainerProps {
  readonly gameId: number
  readonly challenge: ChallengeEdit
  /** Settings of the container are typed but not saved. */
  readonly hasUnsaved: boolean
}

/** Starts the stored image for the organiser alone. */
export function TestContainer({ gameId, challenge, hasUnsaved }: TestContainerProps) {
  const { t } = useTranslation('admin-challenges')
  const params = { id: gameId, cid: challenge.id }
  const container = challenge.testContainer
  const show = (testContainer: ChallengeEdit['testContainer']) =>
    setCallData([operations.adminGetChallenge, { params }], (known) => known && { ...known, testContainer })
  const start = useAction(async () => {
    await show(await call(operations.startTestContainer, { params, timeoutMs: 300_000 }))
    await refresh(ownOperations.getTestReport, { params })
  })
  const stop = useAction(async () => {
    await call(operations.stopTestContainer, { params, timeoutMs: 120_000 })
    await show(null)
    await refresh(operations.adminGetChallenge, { params })
  })
  const isUp = container !== null && container.status !== 'Destroyed'
  const isReady = challenge.containerImage !== '' && !hasUnsaved
  return (
    <Card
      title={t('card.test')}
      actions={
        isUp && (
          <Badge tone={container.status === 'Running' ? 'ok' : 'warn'}>
            {t(container.status === 'Running' ? 'test.running' : 'test.pending')}
          </Badge>
        )
      }
    >
      <div className="stack">
        {isUp ? (
          <>
            {container.entry && (
              <Entry entry={container.entry} title={challenge.title} isReady={container.status === 'Running'} />
            )}
            <div className="row row-between">
              <span className="small muted">
                {t('test.stopsIn')} <Countdown until={container.expectStopAt} />
              </span>
              <Button size="small" busy={stop.busy} onClick={() => void stop.run()}>
                <Square aria-hidden />
                {t('test.stop')}
              </Button>
            </div>
          </>
        ) : (
          <>
            <p className="small">{t('test.idle')}</p>
            <p className="small muted">{t('test.text')}</p>
            {hasUnsaved && <p className="small">{t('test.saveFirst')}</p>}
            {!hasUnsaved && challenge.containerImage === '' && <p className="small">{t('test.noImage')}</p>}
            <div className="row">
              <Button disabled={!isReady} busy={start.busy} onClick={() => void start.run()}>
                <Play aria-hidden />
                {t('test.start')}
              </Button>
              {start.busy && <Elapsed />}
            </div>
          </>
        )}
        {start.error !== undefined && (
          <Alert tone="bad" title={t('test.failed')}>
            <ErrorText error={start.error} />. {t('test.check', { port: challenge.containerExposePort })}
          </Alert>
        )}
        <TestLog gameId={gameId} challengeId={challenge.id} isStarting={start.busy || container?.status === 'Pending'} />
        {stop.error !== undefined && (
          <Alert tone="bad">
            <ErrorText error={stop.error} />
          </Alert>
        )}
      </div>
    </Card>
  )
}

function Elapsed() {
  const { t } = useTranslation('admin-challenges')
  const [since] = useState(() => serverNow())
  const now = useNow()
  return (
    <span className="small muted number" role="status">
      {t('test.starting', { seconds: Math.max(0, Math.round((now - since) / 1000)) })}
    </span>
  )
}

interface EntryProps {
  readonly entry: string
  /** Of the challenge, for the tab of the terminal. */
  readonly title: string
  readonly isReady: boolean
}

function Entry({ entry, title, isReady }: EntryProps) {
  const { t } = useTranslation('admin-challenges')
  const openTerminal = useTerminals((store) => store.open)
  const { address, command, proxied } = testEntryOf(entry, location.origin)
  return (
    <>
      {proxied && (
        <div className="row">
          <Button
            size="small"
            variant="primary"
            disabled={!isReady}
            onClick={() => openTerminal({ id: proxied, title, isTest: true })}
          >
            <SquareTerminal aria-hidden />
            {t('test.terminal')}
          </Button>
        </div>
      )}
      <dl className={styles.entry}>
        {(
          [
            ['test.entry', address],
            ['test.commands', command],
          ] as const
        ).map(([label, text]) => (
          <div key={label}>
            <dt>{t(label)}</dt>
            <dd>
              <code>{text}</code>
              <CopyButton text={text} />
            </dd>
          </div>
        ))}
      </dl>
    </>
  )
}
