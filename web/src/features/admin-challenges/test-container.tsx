import type { FullChallenge } from '@capstan/contract/challenge'
import { entryContainerOf } from '@capstan/contract/challenge-parts'
import { operations, ownOperations } from '@capstan/contract/operations'
import { Play, ScrollText, Square } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { InstanceReason } from '../../components/challenge-health/instance-reason.tsx'
import { ContainersDialog } from '../../components/containers/containers-dialog.tsx'
import { parseTestInstanceEntry } from '../../components/instances/connection.ts'
import { ConnectionInfo } from '../../components/instances/connection-info.tsx'
import { useTerminals } from '../../components/instances/terminal/terminals.ts'
import { useInstanceConnections } from '../../components/instances/use-ways.ts'
import { Alert, Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { Countdown, useNow } from '../../components/ui/time.tsx'
import { serverNow } from '../../lib/clock.ts'
import { ApiError, call } from '../../lib/http.ts'
import { refreshCall, setCallData } from '../../lib/server-state.ts'
import { TestStartLog } from './test-log.tsx'
import { hasTestFailedToStart, useTestReport } from './use-test-report.ts'

type TestContainerProps = Readonly<{
  gameId: number
  whole: FullChallenge
  /** True if the form contains container settings that are not saved yet. */
  hasUnsaved: boolean
}>

/** Panel that starts a test container for the organizer. The container uses the saved image. */
export function TestContainerPanel({ gameId, whole, hasUnsaved }: TestContainerProps) {
  const { t } = useTranslation('admin-challenges')
  const params = { id: gameId, cid: whole.id }
  const { testContainer: container } = whole
  const { port } = entryContainerOf(whole.challenge)
  const hasImages = whole.challenge.containers.every(({ image }) => image !== '')
  const show = (testContainer: FullChallenge['testContainer']) =>
    setCallData([ownOperations.getFullChallenge, { params }], (known) => known && { ...known, testContainer })
  const start = useAction(async () => {
    try {
      await show(await call(operations.startTestContainer, { params, timeoutMs: 300_000 }))
    } catch (error) {
      // An instance still exists after a failed start. Read it again, so that the organizer can inspect its containers.
      await refreshCall(ownOperations.getFullChallenge, { params })
      throw error
    } finally {
      await refreshCall(ownOperations.getTestReport, { params })
    }
  })
  const stop = useAction(async () => {
    await call(operations.stopTestContainer, { params, timeoutMs: 120_000 })
    await show(null)
    await refreshCall(ownOperations.getFullChallenge, { params })
  })
  const isPending = container?.status === 'Pending'
  const report = useTestReport(gameId, whole.id, { isStarting: start.busy, isPending })
  const instanceId = report?.instanceId
  const hasFailed = isPending && !start.busy && report !== undefined && hasTestFailedToStart(report)
  const isStarting = start.busy || (isPending && !hasFailed)
  const [opened, setOpened] = useState<string>()
  const isUp = container !== null && container.status !== 'Destroyed'
  const isReady = hasImages && !hasUnsaved
  return (
    <Card
      title={t('card.test')}
      actions={
        isUp && (
          <Badge tone={container.status === 'Running' ? 'ok' : hasFailed ? 'bad' : 'warn'}>
            {t(container.status === 'Running' ? 'test.running' : hasFailed ? 'test.step.Failed' : 'test.pending')}
          </Badge>
        )
      }
    >
      <div className="stack">
        {isUp ? (
          <>
            {container.entry && container.status === 'Running' && <Entry gameId={gameId} whole={whole} entry={container.entry} />}
            <div className="row row-between">
              <span className="small muted">
                {t('test.stopsIn')} <Countdown until={container.expectStopAt} />
              </span>
              <div className="row">
                {hasFailed && (
                  <Button size="small" disabled={!isReady} onClick={() => void start.run()}>
                    <Play aria-hidden />
                    {t('test.start')}
                  </Button>
                )}
                <Button size="small" busy={stop.busy} onClick={() => void stop.run()}>
                  <Square aria-hidden />
                  {t('test.stop')}
                </Button>
              </div>
            </div>
          </>
        ) : (
          <>
            <p className="small">{t('test.idle')}</p>
            <p className="small muted">{t('test.text')}</p>
            {hasUnsaved && <p className="small">{t('test.saveFirst')}</p>}
            {!hasUnsaved && !hasImages && <p className="small">{t('test.noImage')}</p>}
            <div className="row">
              <Button id="startTest" disabled={!isReady} busy={start.busy} onClick={() => void start.run()}>
                <Play aria-hidden />
                {t('test.start')}
              </Button>
              {start.busy && <Elapsed />}
            </div>
          </>
        )}
        {start.error !== undefined && (
          <Alert tone="bad" title={t('test.failed')}>
            {start.error instanceof ApiError && start.error.code === 'instance.failed' && start.error.detail ? (
              <InstanceReason code={start.error.detail} message={start.error.message} />
            ) : (
              <>
                <ErrorText error={start.error} />. {t('test.check', { port })}
              </>
            )}
          </Alert>
        )}
        <TestStartLog gameId={gameId} challengeId={whole.id} isStarting={isStarting} />
        {instanceId && (
          <div className="row">
            <Button size="small" onClick={() => setOpened(instanceId)}>
              <ScrollText aria-hidden />
              {t('test.containers')}
            </Button>
          </div>
        )}
        {opened !== undefined && (
          <ContainersDialog id={opened} title={whole.challenge.title} onClose={() => setOpened(undefined)} />
        )}
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

type EntryProps = Readonly<{
  gameId: number
  whole: FullChallenge
  entry: string
}>

/** Shows the connections that players would get. */
function Entry({ gameId, whole: { id, challenge }, entry }: EntryProps) {
  const openTerminal = useTerminals((store) => store.open)
  const connection = parseTestInstanceEntry(entry, location.origin)
  const ways = useInstanceConnections({ gameId, challengeId: id }, connection, ownOperations.listTestInstanceWays)
  const open = () => connection?.kind === 'proxy' && openTerminal({ id: connection.id, title: challenge.title, isTest: true })
  return (
    <ConnectionInfo
      connection={connection}
      ways={ways}
      speaksHttp={entryContainerOf(challenge).reach.speaks === 'http'}
      onTerminal={open}
    />
  )
}
