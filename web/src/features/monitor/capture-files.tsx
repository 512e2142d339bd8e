import type { CapturedChallenge, CountedCapture } from '@capstan/contract/captures'
import { operations, ownOperations } from '@capstan/contract/operations'
import { Download, FileArchive, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { type Column, DataTable } from '../../components/ui/data-table.tsx'
import { ConfirmationDialog } from '../../components/ui/dialog.tsx'
import { DownloadButton } from '../../components/ui/download-link.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Pagination } from '../../components/ui/pagination.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { EmptyState, ErrorState, ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { formatBytes, formatNumber } from '../../lib/format.ts'
import { addressOfCall, call } from '../../lib/http.ts'
import { refreshCall, useCall } from '../../lib/server-state.ts'
import { groupFilesByContainer, nameOfRecordedContainer, RecordedContainerList } from './capture-containers.tsx'
import { useTimestampColumn } from './moment.tsx'
import styles from './traffic.module.css'

const filePage = 50

type CaptureFilesProps = Readonly<{
  gameId: number
  challenge: CapturedChallenge
  participationId: number
}>

/** Recordings of a team's connections to a challenge, one file per connection. */
export function RecordedConnectionList({ gameId, challenge, participationId }: CaptureFilesProps) {
  const { t } = useTranslation('monitor')
  const momentColumn = useTimestampColumn()
  const params = { cid: challenge.id, pid: participationId }
  const { data: files, error, mutate } = useCall(ownOperations.listCountedCaptures, { params })
  const { data: teams } = useCall(operations.listCapturedTeams, { params: { cid: challenge.id } })
  const team = teams?.find(({ id }) => id === participationId)?.name ?? ''
  const [page, setPage] = useState(0)
  const [deleting, setDeleting] = useState<CountedCapture | 'all'>()
  const remove = useAction(async (what: CountedCapture | 'all') => {
    if (what === 'all') await call(operations.deleteCaptures, { params })
    else await call(operations.deleteCapture, { params: { ...params, file: what.fileName } })
    await Promise.all([
      mutate(),
      refreshCall(operations.listCapturedTeams, { params: { cid: challenge.id } }),
      refreshCall(operations.listCapturedChallenges, { params: { id: gameId } }),
    ])
    setDeleting(undefined)
    showToast({ tone: 'ok', title: what === 'all' ? t('capture.deletedAll', { team }) : t('capture.deleted') })
  })
  if (!files) return error ? <ErrorState error={error} onRetry={() => mutate()} /> : <SkeletonLines count={6} />
  if (files.length === 0)
    return (
      <EmptyState icon={FileArchive} title={t('capture.noFiles')}>
        {t('capture.noFilesText')}
      </EmptyState>
    )
  const containers = groupFilesByContainer(files)
  const hasContainers = containers.length > 1
  const grouped = containers.flatMap(([, group]) =>
    group.toSorted((one, other) => Date.parse(other.updateTime) - Date.parse(one.updateTime)),
  )
  const current = Math.min(page, Math.ceil(files.length / filePage) - 1)
  const shown = grouped.slice(current * filePage, (current + 1) * filePage)
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  const packets = files.reduce((sum, file) => sum + (file.packets ?? 0), 0)
  const isAll = deleting === 'all'
  const columns: readonly Column<CountedCapture>[] = [
    { head: t('capture.file'), kind: 'name', bare: true, className: styles.file, cell: ({ fileName }) => fileName },
    ...(hasContainers ? [{ head: t('capture.container'), cell: nameOfRecordedContainer }] : []),
    { head: t('capture.size'), kind: 'end', cell: ({ size }) => <span className="number nowrap">{formatBytes(size)}</span> },
    {
      head: t('capture.packets'),
      kind: 'end',
      cell: (file) => <span className="number nowrap">{file.packets === null ? '–' : formatNumber(file.packets)}</span>,
    },
    momentColumn(t('capture.time'), ({ updateTime }) => updateTime),
    {
      head: t('capture.actions'),
      kind: 'actions',
      cell: (file) => (
        <>
          <DownloadButton
            size="small"
            variant="ghost"
            href={addressOfCall(operations.downloadCapture, { params: { ...params, file: file.fileName } })}
            name={file.fileName}
            aria-label={t('capture.download', { name: file.fileName })}
          >
            <Download aria-hidden />
          </DownloadButton>
          <IconButton size="small" label={t('capture.delete', { name: file.fileName })} onClick={() => setDeleting(file)}>
            <Trash2 />
          </IconButton>
        </>
      ),
    },
  ]
  return (
    <div className="stack">
      <div className="row row-between">
        <span className="small muted number">
          {t('capture.fileCount', { count: files.length })} · {t('capture.total', { size: formatBytes(bytes) })} ·{' '}
          {t('recorder.packets', { count: packets, number: formatNumber(packets) })}
        </span>
        <span className="row gap-2">
          <DownloadButton size="small" href={addressOfCall(ownOperations.downloadMergedCaptures, { params })}>
            <Download aria-hidden />
            {t('capture.downloadMerged')}
          </DownloadButton>
          <DownloadButton size="small" href={addressOfCall(operations.downloadCaptures, { params })}>
            <Download aria-hidden />
            {t('capture.downloadAll')}
          </DownloadButton>
          <Button size="small" onClick={() => setDeleting('all')}>
            <Trash2 aria-hidden />
            {t('capture.deleteAll')}
          </Button>
        </span>
      </div>
      {hasContainers && <RecordedContainerList containers={containers} params={params} />}
      <DataTable
        label={t('capture.files')}
        columns={columns}
        rows={shown}
        keyOf={({ fileName }) => fileName}
        dense
        listOnPhone
        className={styles.files}
      />
      {files.length > filePage && (
        <Pagination page={current} pageSize={filePage} total={files.length} itemsShown={shown.length} onPageChange={setPage} />
      )}
      {deleting && (
        <ConfirmationDialog
          open
          onOpenChange={() => {
            remove.reset()
            setDeleting(undefined)
          }}
          title={isAll ? t('capture.deleteAllTitle', { count: files.length, team }) : t('capture.deleteTitle')}
          description={
            isAll
              ? t('capture.deleteAllText', { challenge: challenge.title })
              : t('capture.deleteText', { name: deleting.fileName })
          }
          confirm={isAll ? t('capture.deleteAllConfirm', { count: files.length }) : t('capture.deleteShort')}
          danger
          busy={remove.busy}
          error={remove.error !== undefined ? <ErrorText error={remove.error} /> : undefined}
          onConfirm={() => void remove.run(deleting)}
        />
      )}
    </div>
  )
}
