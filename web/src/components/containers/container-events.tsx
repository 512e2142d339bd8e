import type { ContainerEvent } from '@capstan/contract/admin'
import { ownOperations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { useCall } from '../../lib/server-state.ts'
import { Badge } from '../ui/badge.tsx'
import { cx } from '../ui/cx.ts'
import { ErrorText } from '../ui/states.tsx'
import { RelativeTime } from '../ui/time.tsx'
import styles from './containers.module.css'

const refreshMs = 10_000

type ContainerEventsProps = Readonly<{
  /** Id of the instance. */
  id: string
  /** Name of the container. */
  name: string
}>

/** Newest events of a container, the newest first. */
export function ContainerEvents({ id, name }: ContainerEventsProps) {
  const { t } = useTranslation('containers')
  const { data, error } = useCall(ownOperations.listContainerEvents, { params: { id, name } }, { refreshInterval: refreshMs })
  return (
    <section className="stack gap-1" aria-label={t('events')}>
      <h3 className="small">{t('events')}</h3>
      {error && (
        <p className="small muted">
          <ErrorText error={error} />
        </p>
      )}
      {data?.length === 0 && <p className="small muted">{t('noEvents')}</p>}
      {data && data.length > 0 && (
        // biome-ignore lint/a11y/noNoninteractiveTabindex: the keyboard scrolls it
        <ol className={cx('box small', styles.events)} tabIndex={0} aria-label={t('events')}>
          {data.map((event) => (
            <Event key={`${event.reason} ${event.message} ${event.lastAt}`} event={event} />
          ))}
        </ol>
      )}
    </section>
  )
}

function Event({ event: { type, reason, message, count, lastAt } }: { readonly event: ContainerEvent }) {
  const { t } = useTranslation('containers')
  return (
    <li>
      <span className="row gap-2">
        <Badge {...(type === 'Warning' && { tone: 'warn' })}>{reason}</Badge>
        <span className="muted">
          <RelativeTime at={lastAt} />
          {count > 1 && ` · ${t('times', { count, number: formatNumber(count) })}`}
        </span>
      </span>
      <span className="wrap-anywhere">{message}</span>
    </li>
  )
}
