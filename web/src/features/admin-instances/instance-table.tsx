import type { ContainerInstance, InstanceState, InstanceUsage } from '@capstan/contract/admin'
import { Trash2 } from 'lucide-react'
import { type Dispatch, memo, type SetStateAction } from 'react'
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
import { formatCountdown, formatExact, formatNumber } from '../../lib/format.ts'
import { addressText } from './instance-list.ts'
import styles from './instances.module.css'

interface InstanceTableProps {
  /** Those of this page. */
  readonly instances: readonly ContainerInstance[]
  readonly states: ReadonlyMap<string, InstanceState>
  /** Empty: nothing is known, and there are no columns for it. */
  readonly usages: ReadonlyMap<string, InstanceUsage>
  readonly selected: ReadonlySet<string>
  readonly onSelect: Dispatch<SetStateAction<ReadonlySet<string>>>
  readonly onDestroy: (instance: ContainerInstance) => void
}

/** As a change of what is selected. */
const selecting = (guids: readonly string[], isOn: boolean) => (selected: ReadonlySet<string>) => {
  const next = new Set(selected)
  for (const guid of guids) isOn ? next.add(guid) : next.delete(guid)
  return next
}

export function InstanceTable({ instances, states, usages, selected, onSelect, onDestroy }: InstanceTableProps) {
  const { t } = useTranslation('admin-instances')
  const guids = instances.map(({ containerGuid }) => containerGuid)
  const chosen = guids.filter((guid) => selected.has(guid)).length
  const hasUsage = usages.size > 0
  return (
    <Table label={t('table')} listOnPhone className={cx(styles.table, hasUsage && styles.measured)}>
      <thead>
        <tr>
          <th scope="col" className={styles.check}>
            <Checkbox
              bare
              label={t('selectAll')}
              checked={chosen === 0 ? false : chosen === instances.length ? true : 'indeterminate'}
              onCheckedChange={(isOn) => onSelect(selecting(guids, isOn))}
            />
          </th>
          <th scope="col">{t('column.challenge')}</th>
          <th scope="col">{t('column.team')}</th>
          <th scope="col">{t('column.state')}</th>
          {hasUsage && (
            <>
              <th scope="col" className={tableEnd}>
                {t('column.cpu')}
              </th>
              <th scope="col" className={tableEnd}>
                {t('column.memory')}
              </th>
            </>
          )}
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
            usage={hasUsage ? (usages.get(instance.containerGuid) ?? null) : undefined}
            isSelected={selected.has(instance.containerGuid)}
            onSelect={onSelect}
            onDestroy={onDestroy}
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
  /** Null: not measured; undefined: nothing is. */
  readonly usage: InstanceUsage | null | undefined
  readonly isSelected: boolean
  readonly onSelect: InstanceTableProps['onSelect']
  readonly onDestroy: InstanceTableProps['onDestroy']
}

/** Drawn again only for news of its own: times tick in cells of their own, and a list read again brings the rows it knows. */
const InstanceRow = memo(function InstanceRow({ instance, state, usage, isSelected, onSelect, onDestroy }: InstanceRowProps) {
  const { t } = useTranslation('admin-instances')
  const { challenge, team } = instance
  const title = challenge?.title ?? t('unknownChallenge')
  const teamName = team?.name ?? t('unknownTeam')
  const address = addressText(instance)
  const Icon = challenge ? categoryIcons[challenge.category] : undefined
  return (
    <tr aria-selected={isSelected}>
      <td className={styles.check}>
        <Checkbox
          bare
          label={t('selectOne', { challenge: title, team: teamName })}
          checked={isSelected}
          onCheckedChange={(isOn) => onSelect(selecting([instance.containerGuid], isOn))}
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
      {usage !== undefined && <UsageCells usage={usage} />}
      <td data-label={t('column.age')}>
        <Age since={instance.startedAt} />
      </td>
      <td data-label={t('column.left')}>
        <TimeLeft until={instance.expectStopAt} />
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
        <IconButton size="small" label={t('destroyOne', { team: teamName })} onClick={() => onDestroy(instance)}>
          <Trash2 />
        </IconButton>
      </td>
    </tr>
  )
})

function Age({ since }: { readonly since: string }) {
  const now = useNow()
  return (
    <time className="number" dateTime={since} title={formatExact(since)}>
      {formatCountdown(now - Date.parse(since))}
    </time>
  )
}

function TimeLeft({ until }: { readonly until: string }) {
  const { t } = useTranslation('admin-instances')
  const isOverdue = Date.parse(until) <= useNow()
  return isOverdue ? <Badge tone="warn">{t('overdue')}</Badge> : <Countdown until={until} />
}

const bytesPerMb = 1024 * 1024

/** CPU in cores and memory in the MB of the challenge's settings, each as used of allowed. */
function UsageCells({ usage }: { readonly usage: InstanceUsage | null }) {
  const { t } = useTranslation('admin-instances')
  const cores = (millicores: number, digits: number) =>
    formatNumber(millicores / 1000, { minimumFractionDigits: digits, maximumFractionDigits: digits })
  const mb = (bytes: number, options?: Intl.NumberFormatOptions) =>
    formatNumber(bytes / bytesPerMb, { maximumFractionDigits: 0, ...options })
  return (
    <>
      <td className={tableEnd} data-label={t('column.cpu')}>
        {usage ? (
          <Share
            share={usage.cpuMillicores / usage.cpuLimitMillicores}
            text={`${cores(usage.cpuMillicores, 2)} / ${cores(usage.cpuLimitMillicores, 1)}`}
          />
        ) : (
          <span className="muted">–</span>
        )}
      </td>
      <td className={tableEnd} data-label={t('column.memory')}>
        {usage ? (
          <Share
            share={usage.memoryBytes / usage.memoryLimitBytes}
            text={`${mb(usage.memoryBytes)} / ${mb(usage.memoryLimitBytes, { style: 'unit', unit: 'megabyte', unitDisplay: 'short' })}`}
          />
        ) : (
          <span className="muted">–</span>
        )}
      </td>
    </>
  )
}

/** Where there is reason to look: four fifths, and nearly all. */
const toneOf = (share: number) => (share >= 0.95 ? 'bad' : share >= 0.8 ? 'warn' : undefined)

function Share({ share, text }: { readonly share: number; readonly text: string }) {
  return (
    <span className={styles.share} data-tone={toneOf(share)}>
      <span className="number">{text}</span>
      <span
        aria-hidden
        className={styles.bar}
        ref={(element) => element?.style.setProperty('--share', String(Math.min(1, share)))}
      />
    </span>
  )
}
