import type { TicketFacts as Facts, TicketInstance } from '@capstan/contract/tickets'
import { useTranslation } from 'react-i18next'
import { InstanceReason } from '../../components/challenge-health/instance-reason.tsx'
import { nameOfConnection } from '../../components/instances/ways.ts'
import { Badge, type BadgeTone } from '../../components/ui/badge.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatBytes } from '../../lib/format.ts'
import { SubmissionStatusBadge } from './status-badge.tsx'

function stateOf({ status, endedAt, reason }: TicketInstance): {
  state: 'failed' | 'ended' | 'running' | 'starting'
  tone: BadgeTone
} {
  if (reason !== null && (endedAt !== null || status === 'Running')) return { state: 'failed', tone: 'bad' }
  if (endedAt !== null) return { state: 'ended', tone: 'neutral' }
  return status === 'Running' ? { state: 'running', tone: 'ok' } : { state: 'starting', tone: 'warn' }
}

/** Shows what a team has done with a challenge: its instances with their errors, its connections and its submissions. */
export function TeamActivityDetails({ facts: { instances, connections, attempts } }: { readonly facts: Facts }) {
  const { t } = useTranslation('tickets')
  return (
    <details className="frame padded" open>
      <summary>{t('facts.title')}</summary>
      <div className="stack gap-3 small">
        <h3>{t('facts.instances')}</h3>
        {instances.length === 0 && <p className="muted">{t('facts.noInstances')}</p>}
        <ul className="stack gap-1">
          {instances.map((instance) => {
            const { state, tone } = stateOf(instance)
            return (
              <li key={instance.id} className="row gap-2">
                <Badge tone={tone}>{t(`facts.state.${state}`)}</Badge>
                <RelativeTime at={instance.startedAt} />
                {instance.startedBy !== null && <bdi>{instance.startedBy}</bdi>}
                {instance.reason !== null && (
                  <span className="wrap-anywhere">
                    <InstanceReason code={instance.reasonCode} message={instance.reason} />
                  </span>
                )}
              </li>
            )
          })}
        </ul>
        <h3>{t('facts.connections')}</h3>
        {connections.length === 0 && <p className="muted">{t('facts.noConnections')}</p>}
        <ul className="stack gap-1">
          {connections.map(({ id, way, port, clientAddress, userName, openedAt, closedAt, bytesSent, bytesReceived }) => (
            <li key={id} className="row gap-2">
              <RelativeTime at={openedAt} />
              {closedAt === null && <Badge tone="ok">{t('facts.isOpen')}</Badge>}
              {way !== undefined && <span>{nameOfConnection({ way, port })}</span>}
              <code>{clientAddress}</code>
              {userName !== null && <bdi>{userName}</bdi>}
              <span className="muted">
                {t('facts.bytes', { sent: formatBytes(bytesSent), received: formatBytes(bytesReceived) })}
              </span>
            </li>
          ))}
        </ul>
        <h3>{t('facts.attempts')}</h3>
        {attempts.length === 0 && <p className="muted">{t('facts.noAttempts')}</p>}
        <ul className="stack gap-1">
          {attempts.map(({ id, status, answer, user, time }) => (
            <li key={id} className="row gap-2">
              <SubmissionStatusBadge status={status} />
              <RelativeTime at={time} />
              <bdi>{user}</bdi>
              <code className="wrap-anywhere">{answer}</code>
            </li>
          ))}
        </ul>
      </div>
    </details>
  )
}
