import type { ContainerInstance, InstanceState } from '@capstan/contract/admin'
import { Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Badge, type BadgeTone } from '../../components/ui/badge.tsx'
import { IconButton } from '../../components/ui/button.tsx'
import { categoryIcons } from '../../components/ui/category.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Checkbox } from '../../components/ui/field.tsx'
import { Table, tableEnd } from '../../components/ui/table.tsx'
import { Countdown, useNow } from '../../components/ui/time.tsx'
import { formatCountdown, formatExact } from '../../lib/format.ts'
import { addressText } from './instance-list.ts'
import styles from './instances.module.css'

interface InstanceTableProps {
  /** Those of this page. */
  readonly instances: readonly ContainerInstance[]
  readonly states: ReadonlyMap<string, InstanceState>
  readonly selected: ReadonlySet<string>
  readonly onSelect: (selected: ReadonlySet<string>) => void
  readonly onDestroy: (instances: readonly ContainerInstance[]) => void
}

export function InstanceTable({ instances, states, selected, onSelect, onDestroy }: InstanceTableProps) {
  const { t } = useTranslation('admin-instances')
  const chosen = instances.filter(({ containerGuid }) => selected.has(containerGuid)).length
  const toggle = (guid: string, isOn: boolean) => {
    const next = new Set(selected)
    if (isOn) next.add(guid)
    else next.delete(guid)
    onSelect(next)
  }
  const toggleAll = (isOn: boolean) => {
    const next = new Set(selected)
    for (const { containerGuid } of instances) isOn ? next.add(containerGuid) : next.delete(containerGuid)
    onSelect(next)
  }
  return (
    <Table label={t('table')} listOnPhone className={styles.table}>
      <thead>
        <tr>
          <th scope="col" className={styles.check}>
            <Checkbox
              bare
              label={t('selectAll')}
              checked={chosen === 0 ? false : chosen === instances.length ? true : 'indeterminate'}
              onCheckedChange={toggleAll}
            />
          </th>
          <th scope="col">{t('column.challenge')}</th>
          <th scope="col">{t('column.team')}</th>
          <th scope="col">{t('column.state')}</th>
          <th scope="col">{t('column.age')}</th>
          <th scope="col">{t('column.left')}</th>
          <th scope="col">{t('column.address')}</th>
          <th scope="col" className={tableEnd}>
            <span className="visually-hidden">{t('column.actions')}</span>
          </th>
        </tr>
      </thead>
      <tbody>
        {instances.map((instance) => (
          <InstanceRow
            key={instance.containerGuid}
            instance={instance}
            state={states.get(instance.containerGuid)}
            isSelected={selected.has(instance.containerGuid)}
            onSelect={(isOn) => toggle(instance.containerGuid, isOn)}
            onDestroy={() => onDestroy([instance])}
          />
        ))}
      </tbody>
    </Table>
  )
}

const tones: Readonly<Record<InstanceState['state'], BadgeTone>> = { Starting: 'brand', Running: 'ok', Failing: 'bad' }

interface InstanceRowProps {
  readonly instance: ContainerInstance
  readonly state: InstanceState | undefined
  readonly isSelected: boolean
  readonly onSelect: (isOn: boolean) => void
  readonly onDestroy: () => void
}

function InstanceRow({ instance, state, isSelected, onSelect, onDestroy }: InstanceRowProps) {
  const { t } = useTranslation('admin-instances')
  const now = useNow()
  const { challenge, team } = instance
  const title = challenge?.title ?? t('unknownChallenge')
  const teamName = team?.name ?? t('unknownTeam')
  const address = addressText(instance)
  const Icon = challenge ? categoryIcons[challenge.category] : undefined
  const isOverdue = Date.parse(instance.expectStopAt) <= now
  return (
    <tr aria-selected={isSelected}>
      <td className={styles.check}>
        <Checkbox
          bare
          label={t('selectOne', { challenge: title, team: teamName })}
          checked={isSelected}
          onCheckedChange={onSelect}
        />
      </td>
      <th scope="row">
        <span className={styles.challenge} {...(challenge && { 'data-category': challenge.category })}>
          {Icon && <Icon aria-hidden />}
          <span className={styles.lines}>
            <span className={styles.wrap}>{title}</span>
            <span className={styles.detail} title={instance.image}>
              <span className="visually-hidden">{t('column.image')}: </span>
              {instance.image}
            </span>
          </span>
        </span>
      </th>
      <td data-label={t('column.team')}>
        <span className={styles.team}>
          <Avatar team name={teamName} src={team?.avatar} size={22} />
          <span className={styles.wrap}>{teamName}</span>
        </span>
      </td>
      <td data-label={t('column.state')}>
        <span className={cx(styles.lines, styles.state)}>
          {state ? <Badge tone={tones[state.state]}>{t(`state.${state.state}`)}</Badge> : <span className="muted">–</span>}
          {state?.message && <span className={styles.reason}>{state.message}</span>}
        </span>
      </td>
      <td data-label={t('column.age')}>
        <time className="number" dateTime={instance.startedAt} title={formatExact(instance.startedAt)}>
          {formatCountdown(now - Date.parse(instance.startedAt))}
        </time>
      </td>
      <td data-label={t('column.left')}>
        {isOverdue ? <Badge tone="warn">{t('overdue')}</Badge> : <Countdown until={instance.expectStopAt} />}
      </td>
      <td data-label={t('column.address')}>
        <span className={styles.address}>
          <span className={styles.lines}>
            <span className="mono">{address}</span>
            <span className={styles.detail} title={instance.containerId}>
              {instance.containerId}
            </span>
          </span>
          <CopyButton text={address} label={t('copyAddress', { address })} />
        </span>
      </td>
      <td className={tableEnd}>
        <IconButton size="small" label={t('destroyOne', { team: teamName })} onClick={onDestroy}>
          <Trash2 />
        </IconButton>
      </td>
    </tr>
  )
}
