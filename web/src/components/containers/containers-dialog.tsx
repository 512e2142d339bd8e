import type { ContainerState, InstanceContainers } from '@capstan/contract/admin'
import { ownOperations } from '@capstan/contract/operations'
import { Container, SquareTerminal } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { useCall } from '../../lib/server-state.ts'
import { Alert, Badge } from '../ui/badge.tsx'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { Dialog } from '../ui/dialog.tsx'
import { SkeletonLines } from '../ui/skeleton.tsx'
import { EmptyState, ErrorState, ErrorText } from '../ui/states.tsx'
import { RelativeTime } from '../ui/time.tsx'
import { ContainerEvents } from './container-events.tsx'
import { ContainerLogView } from './container-log.tsx'
import { ContainerTerminal, isInTerminal } from './container-terminal.tsx'
import styles from './containers.module.css'
import { ContainerUsageBars } from './usage.tsx'

const refreshMs = 5_000

type ContainersDialogProps = Readonly<{
  /** Id of the instance. */
  id: string
  title: string
  onClose: () => void
}>

/** State and output of the containers of an instance, for admins. */
export function ContainersDialog({ id, title, onClose }: ContainersDialogProps) {
  const { t } = useTranslation('containers')
  const { data, error, mutate } = useCall(ownOperations.listContainers, { params: { id } }, { refreshInterval: refreshMs })
  return (
    <Dialog
      open
      onOpenChange={(isOpen) => !isOpen && onClose()}
      isEscapeTaken={({ target }) => isInTerminal(target)}
      title={title}
      description={t('text')}
      size="huge"
    >
      {!data && !error && <SkeletonLines count={6} />}
      {!data && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {data && (
        <div className="stack">
          {error && (
            <Alert tone="warn">
              <ErrorText error={error} />
            </Alert>
          )}
          <Containers id={id} known={data} />
        </div>
      )}
    </Dialog>
  )
}

function Containers({ id, known }: Readonly<{ id: string; known: InstanceContainers }>) {
  const { containers, hasLogs, hasEvents, hasTerminal, isTest, isMeasured } = known
  const { t } = useTranslation('containers')
  const [chosen, setChosen] = useState<string>()
  const [shell, setShell] = useState<string>()
  const current = containers.find(({ name }) => name === chosen) ?? containers[0]
  if (!current) return <EmptyState icon={Container} title={t('unknown')} />
  return (
    <>
      <div role="radiogroup" aria-label={t('containers')} className="tiles gap-2">
        {containers.map((container) => (
          <label key={container.name} className={cx('box', styles.container)}>
            <input
              type="radio"
              name="container"
              checked={container.name === current.name}
              onChange={() => {
                setChosen(container.name)
                setShell(undefined)
              }}
            />
            <ContainerFacts container={container} />
          </label>
        ))}
      </div>
      {isMeasured === false && <p className="small muted">{t('unmeasured')}</p>}
      {hasEvents && <ContainerEvents key={`events ${current.name}`} id={id} name={current.name} />}
      {isTest && hasTerminal && shell !== current.name && (
        <div className="row">
          <Button onClick={() => setShell(current.name)}>
            <SquareTerminal aria-hidden />
            {t('openTerminal')}
          </Button>
        </div>
      )}
      {isTest && !hasTerminal && <p className="small muted">{t('noTerminal')}</p>}
      {shell === current.name ? (
        <ContainerTerminal key={`terminal ${shell}`} id={id} name={shell} onClose={() => setShell(undefined)} />
      ) : hasLogs ? (
        <ContainerLogView key={current.name} id={id} name={current.name} />
      ) : (
        <Alert>{t('noLogs')}</Alert>
      )}
    </>
  )
}

/** Reasons that are normal for a container that is not ready yet. */
const startReasons: readonly string[] = ['Created', 'Starting', 'Scheduling', 'Pulling', 'WaitingForDependency']

function toneOf({ isReady, reason }: ContainerState) {
  return isReady ? 'ok' : startReasons.includes(reason) ? 'brand' : 'bad'
}

function ContainerFacts({ container }: { readonly container: ContainerState }) {
  const { t } = useTranslation('containers')
  const { name, reason, message, restarts, lastExit, since, usage } = container
  const texts = {
    cpu: (used: string, limit: string) => t('cpu', { used, limit }),
    memory: (used: string, limit: string) => t('memory', { used, limit }),
  }
  return (
    <span className="stack gap-1">
      <span className="row gap-2">
        <b className="mono wrap-anywhere">{name}</b>
        <Badge tone={toneOf(container)}>{reason}</Badge>
        {since && (
          <span className="small muted">
            <RelativeTime at={since} />
          </span>
        )}
      </span>
      <span className="small wrap-anywhere">{message}</span>
      <span className="small muted wrap-anywhere">
        {t('restarts', { count: restarts, number: formatNumber(restarts) })}
        {lastExit && ` · ${t('lastExit', { reason: lastExit })}`}
      </span>
      {usage && <ContainerUsageBars usage={usage} texts={texts} />}
    </span>
  )
}
