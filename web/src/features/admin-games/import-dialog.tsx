import type { ImportReport } from '@capstan/contract/imports'
import { operations, ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Alert, Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { FileDrop } from '../../components/ui/file-drop.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Progress } from '../../components/ui/progress.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { formatNumber } from '../../lib/format.ts'
import { ApiError, addressOfCall, upload } from '../../lib/http.ts'
import { refreshCall, refreshCallsWithPrefix } from '../../lib/server-state.ts'

type ImportDialogProps = Readonly<{
  onClose: () => void
  onImported: (gameId: number) => void
}>

/** Previews and imports an archive that another platform exported. */
export function ImportGameDialog({ onClose, onImported }: ImportDialogProps) {
  const { t } = useTranslation(['admin-games', 'common'])
  const [file, setFile] = useState<File>()
  const [share, setShare] = useState(0)
  const [report, setReport] = useState<ImportReport>()
  const send = useAction(async (chosen: File, preview: boolean) => {
    setShare(0)
    const made = await upload(ownOperations.importCtfd, { query: { preview }, files: [chosen], onProgress: setShare })
    setReport(made)
    if (made.gameId === null) return
    await Promise.all([refreshCallsWithPrefix(addressOfCall(operations.adminListGames)), refreshCall(ownOperations.findGames)])
    showToast({ tone: 'ok', title: t('create.created', { title: made.title }) })
    onImported(made.gameId)
  })
  const choose = ([chosen]: readonly File[]) => {
    if (!chosen) return
    setFile(chosen)
    setReport(undefined)
    void send.run(chosen, true)
  }
  return (
    <Dialog
      open
      size="large"
      onOpenChange={onClose}
      keepOpenOutside={file !== undefined}
      title={t('import.title')}
      description={t('import.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:action.cancel')}</Button>
          <Button
            variant="primary"
            busy={send.busy}
            disabled={!file || !report}
            onClick={() => file && void send.run(file, false)}
          >
            {t('import.submit')}
          </Button>
        </>
      }
    >
      <div className="stack">
        <FileDrop
          accept=".zip"
          disabled={send.busy}
          label={file?.name ?? t('import.drop')}
          hint={t('import.hint')}
          onFiles={choose}
        />
        {send.busy && <Progress label={t('import.reading')} value={share} />}
        {send.error !== undefined && (
          <FieldError>
            <ErrorText error={send.error} />
            {send.error instanceof ApiError && send.error.code?.startsWith('import.') && <> {send.error.detail}</>}
          </FieldError>
        )}
        {report && <Report report={report} />}
      </div>
    </Dialog>
  )
}

const shownCounts = [
  'users',
  'matchedUsers',
  'teams',
  'challenges',
  'submissions',
  'solves',
  'awards',
  'posts',
  'notices',
] as const

function Report({ report }: { readonly report: ImportReport }) {
  const { t } = useTranslation('admin-games')
  const { counts, differences, differenceCount, findings, rankedTeams } = report
  return (
    <div className="stack gap-2">
      <h3>{report.title}</h3>
      <ul className="row gap-2">
        {shownCounts
          .filter((name) => counts[name] > 0)
          .map((name) => (
            <li key={name}>
              <Badge>
                {t(`import.counts.${name}`)} {formatNumber(counts[name])}
              </Badge>
            </li>
          ))}
      </ul>
      {differenceCount === 0 ? (
        <Alert tone="ok">{t('import.same', { number: formatNumber(rankedTeams) })}</Alert>
      ) : (
        <Alert tone="warn" title={t('import.different', { number: formatNumber(differenceCount) })}>
          <ul>
            {differences.map(({ team, theirs, ours }) => (
              <li key={team} className="small wrap-anywhere">
                {team}: {formatNumber(theirs)} → {formatNumber(ours)}
              </li>
            ))}
          </ul>
        </Alert>
      )}
      {findings.length > 0 && (
        <>
          <h4>{t('import.findings')}</h4>
          <ul className="stack gap-2">
            {findings.map(({ table, field, why, advice, rows, count, outcome }) => (
              <li key={`${table} ${field} ${why}`} className="small wrap-anywhere">
                <Badge tone={outcome === 'converted' ? 'neutral' : 'warn'}>
                  {field === '' ? table : `${table}.${field}`} × {formatNumber(count)}
                </Badge>{' '}
                <span lang="en">
                  {why} {advice}
                </span>
                {rows.length > 0 && (
                  <span className="muted">
                    {' '}
                    {t('import.rows', { rows: rows.join(', ') })}
                    {count > rows.length && ' …'}
                  </span>
                )}
              </li>
            ))}
          </ul>
        </>
      )}
    </div>
  )
}
