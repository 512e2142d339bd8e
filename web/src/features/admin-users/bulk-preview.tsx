import { isPasswordHash } from '@capstan/contract/account-rules'
import { CircleAlert } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Alert, Badge } from '../../components/ui/badge.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Switch } from '../../components/ui/field.tsx'
import { Table } from '../../components/ui/table.tsx'
import { formatNumber } from '../../lib/format.ts'
import { type BulkColumn, type BulkFault, type BulkRow, bulkColumns, countTeams } from './bulk-users.ts'
import styles from './users.module.css'

const maxShown = 100

const columnsOfFaults: Partial<Record<BulkFault, BulkColumn>> = {
  userNameTwice: 'userName',
  own: 'userName',
  emailTwice: 'email',
  passwordHash: 'password',
  banned: 'userName',
}

function columnOfFault(fault: BulkFault): BulkColumn | undefined {
  return columnsOfFaults[fault] ?? bulkColumns.find((column) => column === fault)
}

/** Preview of a pasted list, with the errors of each row. */
export function BulkPreview({ rows, skipped }: Readonly<{ rows: readonly BulkRow[]; skipped: readonly string[] }>) {
  const { t } = useTranslation('admin-users')
  const [onlyFaulty, setOnlyFaulty] = useState(false)
  const faulty = rows.filter(({ faults }) => faults.length > 0)
  const teams = countTeams(rows)
  const wanted = onlyFaulty && faulty.length > 0 ? faulty : rows
  const shown = wanted.slice(0, maxShown)
  return (
    <section className="stack gap-2" aria-label={t('bulk.preview')}>
      <div className="row row-between">
        <div className="row gap-2" role="status">
          <h3>{t('bulk.preview')}</h3>
          {rows.length > 0 && <Badge>{t('bulk.rows', { count: rows.length })}</Badge>}
          {teams > 0 && <Badge>{t('bulk.teams', { count: teams })}</Badge>}
          {faulty.length > 0 && (
            <Badge tone="bad">
              <CircleAlert aria-hidden />
              {t('bulk.faulty', { count: faulty.length })}
            </Badge>
          )}
        </div>
        {faulty.length > 0 && <Switch label={t('bulk.onlyFaulty')} checked={onlyFaulty} onCheckedChange={setOnlyFaulty} />}
      </div>
      {skipped.length > 0 && <Alert tone="warn">{t('bulk.unread', { columns: skipped.join(', ') })}</Alert>}
      {rows.length === 0 ? (
        <p className="box muted">{t('bulk.previewEmpty')}</p>
      ) : (
        <div className={styles.preview}>
          <Table label={t('bulk.preview')} dense>
            <thead>
              <tr>
                <th scope="col">{t('bulk.row')}</th>
                {bulkColumns.map((column) => (
                  <th key={column} scope="col">
                    {t(`bulk.${column}`)}
                  </th>
                ))}
              </tr>
            </thead>
            <tbody>
              {shown.map((row) => (
                <PreviewRow key={row.line} row={row} />
              ))}
            </tbody>
          </Table>
        </div>
      )}
      {wanted.length > maxShown && (
        <p className="small muted">{t('bulk.more', { shown: formatNumber(maxShown), total: formatNumber(wanted.length) })}</p>
      )}
    </section>
  )
}

function PreviewRow({ row }: { readonly row: BulkRow }) {
  const { t } = useTranslation('admin-users')
  const faultyColumns = new Set(row.faults.map(columnOfFault))
  const textOf = (column: BulkColumn) => {
    const value = row.values[column]
    if (column === 'password' && value !== '' && !faultyColumns.has('password'))
      return <span className="muted">{t(isPasswordHash(value) ? 'bulk.passwordHashed' : 'bulk.passwordOk')}</span>
    return value || <span className="faint">–</span>
  }
  return (
    <>
      <tr data-faulty={row.faults.length > 0}>
        <td className="number faint">{row.line}</td>
        {bulkColumns.map((column) => (
          <td key={column} data-fault={faultyColumns.has(column)} className={cx('truncate', styles.cell)}>
            <bdi>{textOf(column)}</bdi>
            {column === 'teamName' && row.isCaptain && <span className="tiny muted"> {t('bulk.captain')}</span>}
          </td>
        ))}
      </tr>
      {row.faults.length > 0 && (
        <tr className={cx('small', styles.faults)}>
          <td />
          <td colSpan={bulkColumns.length}>{row.faults.map((fault) => t(`bulk.fault.${fault}`)).join(' · ')}</td>
        </tr>
      )}
    </>
  )
}
