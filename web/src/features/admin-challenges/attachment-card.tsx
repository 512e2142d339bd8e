import type { ChallengeFileRef, FullChallenge } from '@capstan/contract/challenge'
import { InputLimits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import { Download, ExternalLink, X } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { ConfirmationDialog } from '../../components/ui/dialog.tsx'
import { DownloadLink } from '../../components/ui/download-link.tsx'
import { Field, FieldError } from '../../components/ui/field.tsx'
import { FileDrop } from '../../components/ui/file-drop.tsx'
import { createSubmitHandler, useAction } from '../../components/ui/form.ts'
import { Input } from '../../components/ui/input.tsx'
import { Progress } from '../../components/ui/progress.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { SegmentedControl } from '../../components/ui/tabs.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { formatBytes } from '../../lib/format.ts'
import { upload } from '../../lib/http.ts'
import { fileNameOfUrl, isWebAddress } from './attachment-name.ts'
import styles from './editor.module.css'
import { saveChallenge } from './save-challenge.ts'
import { downloadAddressOfFile, fileSizeOf } from './shown-file.ts'
import { useReportUnsavedInput } from './unsaved.tsx'

type AttachmentCardProps = Readonly<{
  gameId: number
  whole: FullChallenge
}>

/** File that every team gets. Changes take effect immediately. */
export function AttachmentCard({ gameId, whole }: AttachmentCardProps) {
  const { t } = useTranslation('admin-challenges')
  const { attachment } = whole.challenge
  const address = attachment && downloadAddressOfFile(attachment)
  const bytes = attachment && fileSizeOf(attachment, whole)
  const [kind, setKind] = useState<'Local' | 'Remote'>(attachment && 'url' in attachment ? 'Remote' : 'Local')
  const [url, setUrl] = useState('')
  const [isChecked, setChecked] = useState(false)
  const [share, setShare] = useState(0)
  const [asks, setAsks] = useState(false)
  const [asksToReplace, setAsksToReplace] = useState(false)
  useReportUnsavedInput(url.trim() !== '')

  const setTo = async (file: ChallengeFileRef | null) => {
    await saveChallenge(gameId, whole, { change: (stored) => ({ ...stored, attachment: file }) })
    showToast({ tone: 'ok', title: t(file === null ? 'attachment.removed' : 'attachment.saved') })
  }
  const remove = useAction(async () => {
    await setTo(null)
    setAsks(false)
  })
  const link = useAction(async () => {
    await setTo({ url: url.trim() })
    setUrl('')
    setChecked(false)
    setAsksToReplace(false)
  })
  const send = useAction(async (file: File) => {
    // Refuse an empty file, because the server does not store empty files.
    if (file.size === 0) throw new Error(t('attachment.empty', { name: file.name }))
    setShare(0)
    const [stored] = await upload(operations.uploadFiles, { files: [file], onProgress: setShare })
    if (stored) await setTo(stored)
  })
  const submit = () => {
    setChecked(true)
    if (!isWebAddress(url)) return undefined
    if (attachment === null || 'url' in attachment) return link.run()
    // Ask first, because one press of Enter would otherwise permanently delete the uploaded file.
    setAsksToReplace(true)
    return undefined
  }
  const failure = kind === 'Local' ? undefined : link.error
  return (
    <Card title={t('card.attachment')}>
      <div className="stack">
        {attachment && address !== null ? (
          <div className={cx('line gap-3 well', styles.file)}>
            {'hash' in attachment ? (
              <DownloadLink href={address} name={fileNameOfUrl(address)} className="line grow">
                <Download aria-hidden />
                <span className="truncate">{fileNameOfUrl(address)}</span>
              </DownloadLink>
            ) : (
              <a href={address} className="line grow" target="_blank" rel="noopener noreferrer">
                <ExternalLink aria-hidden />
                <span className="truncate">{address}</span>
              </a>
            )}
            {bytes !== null && <span className="small muted">{formatBytes(bytes)}</span>}
            <Button size="small" variant="ghost" onClick={() => setAsks(true)}>
              <X aria-hidden />
              {t('attachment.remove')}
            </Button>
          </div>
        ) : (
          <p className="muted">{t('attachment.none')}</p>
        )}
        <div className="row">
          <SegmentedControl
            label={t('attachment.kind')}
            value={kind}
            onValueChange={setKind}
            options={[
              { value: 'Local', label: t('attachment.local') },
              { value: 'Remote', label: t('attachment.remote') },
            ]}
          />
        </div>
        {kind === 'Local' ? (
          <>
            <FileDrop
              label={t('attachment.drop')}
              hint={t('attachment.dropHint')}
              disabled={send.busy}
              error={send.error !== undefined && <ErrorText error={send.error} />}
              onFiles={([file]) => file && void send.run(file)}
            />
            {send.busy && <Progress label={t('attachment.progress')} value={share} />}
          </>
        ) : (
          <form className={cx('stack gap-3 start', styles.link)} noValidate onSubmit={createSubmitHandler(submit)}>
            <Field
              label={t('attachment.url')}
              hint={t('attachment.urlHint')}
              error={isChecked && !isWebAddress(url) ? t('attachment.urlFault') : undefined}
            >
              {(control) => (
                <Input
                  {...control}
                  type="url"
                  autoComplete="off"
                  placeholder="https://"
                  maxLength={InputLimits.maxUrlLength}
                  value={url}
                  onChange={(event) => setUrl(event.target.value)}
                />
              )}
            </Field>
            <Button type="submit" busy={link.busy}>
              {t('attachment.use')}
            </Button>
          </form>
        )}
        {failure !== undefined && (
          <FieldError>
            <ErrorText error={failure} />
          </FieldError>
        )}
      </div>
      <ConfirmationDialog
        open={asks}
        onOpenChange={(next) => {
          remove.reset()
          setAsks(next)
        }}
        title={t('attachment.removeQuestion')}
        description={t('attachment.removeText')}
        confirm={t('attachment.removeConfirm')}
        danger
        busy={remove.busy}
        error={remove.error !== undefined && <ErrorText error={remove.error} />}
        onConfirm={() => void remove.run()}
      />
      <ConfirmationDialog
        open={asksToReplace}
        onOpenChange={setAsksToReplace}
        title={t('attachment.replaceQuestion')}
        description={t('attachment.replaceText')}
        confirm={t('attachment.use')}
        danger
        busy={link.busy}
        error={link.error !== undefined && <ErrorText error={link.error} />}
        onConfirm={() => void link.run()}
      />
    </Card>
  )
}
