import type { ParticipationRecord } from '@capstan/contract/games'
import type { Verdict } from '@capstan/contract/vocabulary'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Checkbox, FieldError } from '../../components/ui/field.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { Table, tableEnd } from '../../components/ui/table.tsx'
import { formatNumber } from '../../lib/format.ts'
import styles from './review.module.css'

import { StatusBadge } from './status-badge.tsx'
import type { FailedChange } from './use-verdicts.ts'

interface ReviewTableProps {
  readonly records: readonly ParticipationRecord[]
  readonly hasDivisions: boolean
  readonly cursor: number | undefined
  readonly selected: ReadonlySet<number>
  readonly pending: ReadonlyMap<number, Verdict>
  readonly failed: readonly FailedChange[]
  readonly onPoint: (id: number) => void
  readonly onOpen: (id: number) => void
  readonly onSelect: (ids: readonly number[], isOn: boolean) => void
}

/** Teams of a game, the cursor's row marked. */
export function ReviewTable(props: ReviewTableProps) {
  const { records, hasDivisions, cursor, selected, pending, failed, onPoint, onOpen, onSelect } = props
  const { t } = useTranslation('admin-review')
  const body = useRef<HTMLTableSectionElement>(null)
  useEffect(() => {
    if (cursor !== undefined) body.current?.querySelector(`[data-team="${cursor}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [cursor])
  const all = records.length > 0 && records.every(({ id }) => selected.has(id))
  const some = records.some(({ id }) => selected.has(id))
  return (
    <Table label={t('table')} dense className={styles.table}>
      <thead>
        <tr>
          <th scope="col" className={styles.tick}>
            <Checkbox
              bare
              label={t('selectAll')}
              checked={all || (some && 'indeterminate')}
              onCheckedChange={(isOn) =>
                onSelect(
                  records.map(({ id }) => id),
                  isOn,
                )
              }
            />
          </th>
          <th scope="col">{t('team')}</th>
          {hasDivisions && (
            <th scope="col" className={styles.division}>
              {t('division')}
            </th>
          )}
          <th scope="col" className={cx(tableEnd, styles.seats)}>
            {t('joined')}
          </th>
          <th scope="col">{t('statusLabel')}</th>
        </tr>
      </thead>
      <tbody ref={body}>
        {records.map((record) => {
          const { id, team, organization, status, registeredMembers } = record
          const failure = failed.find((change) => change.id === id)
          return (
            <tr
              key={id}
              data-team={id}
              data-cursor={id === cursor || undefined}
              aria-selected={selected.has(id)}
              aria-busy={pending.has(id) || undefined}
              onPointerDown={() => onPoint(id)}
            >
              <td className={styles.tick}>
                <Checkbox
                  bare
                  label={t('select', { team: team.name ?? '' })}
                  checked={selected.has(id)}
                  onCheckedChange={(isOn) => onSelect([id], isOn)}
                />
              </td>
              <th scope="row">
                <button
                  type="button"
                  className={styles.team}
                  aria-current={id === cursor || undefined}
                  onClick={() => onOpen(id)}
                >
                  <Avatar team name={team.name} src={team.avatar} size={24} />
                  <span className="truncate">{team.name}</span>
                </button>
                {failure && (
                  <FieldError>
                    {t('failed', { status: t(`status.${failure.to}`) })} <ErrorText error={failure.error} />
                  </FieldError>
                )}
              </th>
              {hasDivisions && (
                <td className={cx('truncate', styles.division)}>{organization ?? <span className="faint">–</span>}</td>
              )}
              <td className={cx(tableEnd, styles.seats)}>
                {formatNumber(registeredMembers.length)}
                <span className="faint"> / {formatNumber(team.members.length)}</span>
              </td>
              <td>
                <StatusBadge status={status} />
              </td>
            </tr>
          )
        })}
      </tbody>
    </Table>
  )
}
