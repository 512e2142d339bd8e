import type { FullChallenge } from '@capstan/contract/challenge'
import { replaceFlags } from '@capstan/contract/challenge-parts'
import type { FileRef } from '@capstan/contract/files'
import { operations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { runSequentially } from '../../components/editing/run-sequentially.ts'
import { Alert } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { FileDrop } from '../../components/ui/file-drop.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Progress } from '../../components/ui/progress.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { formatBytes } from '../../lib/format.ts'
import { call, upload } from '../../lib/http.ts'
import { hasFileExtension, listFlagsOfFiles } from './flag-lines.ts'
import { FlagLineFaults } from './line-faults.tsx'
import { saveChallenge } from './save-challenge.ts'
import { useReportUnsavedInput } from './unsaved.tsx'

type AddFilesProps = Readonly<{
  gameId: number
  whole: FullChallenge
  known: ReadonlySet<string>
}>

/** Form that uploads all chosen files in one call, and then adds the flags of the files. Each file is named after its flag. */
export function AddFlagFilesForm({ gameId, whole, known }: AddFilesProps) {
  const { t } = useTranslation('admin-challenges')
  const [files, setFiles] = useState<readonly File[]>([])
  const [share, setShare] = useState(0)
  /** Uploaded files whose flags are not added yet. A retry does not upload them again. */
  const [arrived, setArrived] = useState<readonly FileRef[]>()
  useReportUnsavedInput(files.length > 0)
  const lines = listFlagsOfFiles(files, known)
  const odd = files.find(({ name }) => hasFileExtension(name))
  const faulty = lines.filter(({ fault }) => fault !== undefined)
  const send = useAction(async () => {
    setShare(0)
    const stored = arrived ?? (await upload(operations.uploadFiles, { files, onProgress: setShare }))
    setArrived(stored)
    // The response lists the stored files in the order of the upload. If one file were missing, all later files would get wrong
    // flags.
    if (stored.length !== files.length) throw new Error(t('flags.notAllStored'))
    const flags = stored.map((file, index) => ({ flag: files[index]?.name ?? '', file }))
    await saveChallenge(gameId, whole, { change: (known) => replaceFlags(known, [...known.flags, ...flags]) })
    setArrived(undefined)
    setFiles([])
    showToast({ tone: 'ok', title: t('flags.added', { count: flags.length }) })
  })
  const giveUp = () => {
    // The server never uses files that belong to no flag, so delete them.
    void runSequentially(arrived ?? [], ({ hash }) => call(operations.deleteFile, { params: { id: hash } }))
    setFiles([])
    setArrived(undefined)
    send.reset()
  }
  if (files.length === 0) return <FileDrop multiple label={t('flags.drop')} hint={t('flags.dropHint')} onFiles={setFiles} />
  const bytes = files.reduce((sum, { size }) => sum + size, 0)
  return (
    <div className="stack">
      <p>{t('flags.chosen', { count: files.length, size: formatBytes(bytes) })}</p>
      <FlagLineFaults lines={lines} areFiles />
      {odd && <Alert tone="warn">{t('flags.ending', { name: odd.name })}</Alert>}
      {send.busy && <Progress label={arrived ? t('flags.storing') : t('flags.progress')} value={share} />}
      {send.error !== undefined && (
        <FieldError>
          <ErrorText error={send.error} />
        </FieldError>
      )}
      {send.error !== undefined && arrived && <Alert tone="warn">{t('flags.retryFlags')}</Alert>}
      <div className="row gap-2">
        <Button variant="primary" busy={send.busy} disabled={faulty.length > 0} onClick={() => void send.run()}>
          {t('flags.upload', { count: files.length })}
        </Button>
        {faulty.length > 0 && faulty.length < files.length && (
          <Button onClick={() => setFiles(files.filter((_, index) => lines[index]?.fault === undefined))}>
            {t('flags.leaveOut')}
          </Button>
        )}
        <Button variant="ghost" disabled={send.busy} onClick={giveUp}>
          {t('flags.clear')}
        </Button>
      </div>
    </div>
  )
}
