import { operations, ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { FileDrop } from '../../components/ui/file-drop.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Progress } from '../../components/ui/progress.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { ApiError, addressOfCall, upload } from '../../lib/http.ts'
import { refreshCall, refreshCallsWithPrefix } from '../../lib/server-state.ts'

type PackageDialogProps = Readonly<{
  onClose: () => void
  onImported: (gameId: number) => void
}>

/** Creates a game from a package of another game. */
export function ImportPackageDialog({ onClose, onImported }: PackageDialogProps) {
  const { t } = useTranslation(['admin-games', 'common'])
  const [file, setFile] = useState<File>()
  const [share, setShare] = useState(0)
  const send = useAction(async (chosen: File) => {
    setShare(0)
    const id = await upload(ownOperations.importGame, { files: [chosen], onProgress: setShare })
    await Promise.all([refreshCallsWithPrefix(addressOfCall(operations.adminListGames)), refreshCall(ownOperations.findGames)])
    onImported(id)
  })
  return (
    <Dialog
      open
      size="large"
      onOpenChange={onClose}
      keepOpenOutside={file !== undefined}
      title={t('importPackage.title')}
      description={t('importPackage.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:action.cancel')}</Button>
          <Button variant="primary" busy={send.busy} disabled={!file} onClick={() => file && void send.run(file)}>
            {t('import.submit')}
          </Button>
        </>
      }
    >
      <div className="stack">
        <FileDrop
          accept=".zip"
          disabled={send.busy}
          label={file?.name ?? t('importPackage.drop')}
          hint={t('importPackage.hint')}
          onFiles={([chosen]) => {
            send.reset()
            setFile(chosen)
          }}
        />
        {send.busy && <Progress label={t('importPackage.sending')} value={share} />}
        {send.error !== undefined && (
          <FieldError>
            <ErrorText error={send.error} />
            {send.error instanceof ApiError && send.error.code?.startsWith('import.') && <> {send.error.detail}</>}
          </FieldError>
        )}
      </div>
    </Dialog>
  )
}
