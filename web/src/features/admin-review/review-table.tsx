import type { ParticipationRecord } from '@capstan/contract/games'
import type { Verdict } from '@capstan/contract/vocabulary'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { cx } from '../../components/ui/cx.ts'
import { type Column, DataTable } from '../../components/ui/data-table.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { formatNumber } from '../../lib/format.ts'
import styles from './review.module.css'

import { StatusBadge } from './status-badge.tsx'
import type { FailedChange } from './use-verdicts.ts'

type ReviewTableProps = Readonly<{
  records: readonly ParticipationRecord[]
  hasDivisions: boolean
  cursor: number | undefined
  selected: ReadonlySet<number>
  pending: ReadonlyMap<number, Verdict>
  failed: readonly FailedChange[]
  onPoint: (id: number) => void
  onOpen: (id: number) => void
  onSelect: (ids: readonly number[], isOn: boolean) => void
}>

/** Table of a game's teams that highlights the row for keyboard actions. */
export function ReviewTable(props: ReviewTableProps) {
  const { records, hasDivisions, cursor, selected, pending, failed, onPoint, onOpen, onSelect } = props
  const { t } = useTranslation('admin-review')
  const table = useRef<HTMLTableElement>(null)
  useEffect(() => {
    if (cursor !== undefined) table.current?.querySelector(`[data-team="${cursor}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [cursor])
  const columns: readonly Column<ParticipationRecord>[] = [
    {
      head: t('team'),
      kind: 'name',
      bare: true,
      cell: ({ id, team }) => {
        const failure = failed.find((change) => change.id === id)
        return (
          <>
            <button
              type="button"
              className={cx('line medium', styles.team)}
              aria-current={id === cursor || undefined}
              onClick={() => onOpen(id)}
            >
              <Avatar team name={team.name} src={team.avatar} size={24} />
              <bdi className="truncate">{team.name}</bdi>
            </button>
            {failure && (
              <FieldError>
                {t('failed', { status: t(`status.${failure.to}`) })} <ErrorText error={failure.error} />
              </FieldError>
            )}
          </>
        )
      },
    },
    ...(hasDivisions ? [divisionColumn(t('division'), t('noDivision'))] : []),
    {
      head: t('joined'),
      kind: 'end',
      headClassName: 'hidden-on-phone',
      className: 'hidden-on-phone',
      cell: ({ team, registeredMembers }) => (
        <>
          {formatNumber(registeredMembers.length)}
          <span className="faint"> / {formatNumber(team.members.length)}</span>
        </>
      ),
    },
    {
      head: t('statusLabel'),
      cell: ({ status, waitingPlace, missingAnswers = 0 }) => (
        <span className="inline gap-1">
          <StatusBadge status={status} place={waitingPlace} />
          {missingAnswers > 0 && <Badge tone="warn">{t('answers.missing')}</Badge>}
        </span>
      ),
    },
  ]
  return (
    <DataTable
      ref={table}
      label={t('table')}
      columns={columns}
      rows={records}
      keyOf={({ id }) => id}
      selection={{
        keys: selected,
        onSelect,
        allLabel: t('selectAll'),
        labelOf: ({ team }) => t('select', { team: team.name ?? '' }),
      }}
      rowProps={({ id }) => ({
        'data-team': id,
        'data-cursor': id === cursor || undefined,
        'aria-busy': pending.has(id) || undefined,
        onPointerDown: () => onPoint(id),
      })}
      dense
      className={styles.table}
    />
  )
}

function divisionColumn(head: string, none: string): Column<ParticipationRecord> {
  return {
    head,
    headClassName: 'hidden-on-phone',
    className: cx('truncate muted hidden-on-phone', styles.division),
    cell: ({ organization }) => (organization === null ? <span className="faint">{none}</span> : <bdi>{organization}</bdi>),
  }
}
