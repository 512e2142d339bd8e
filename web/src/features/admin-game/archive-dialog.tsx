import { operations, ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { downloadFile } from '../../components/ui/download-link.tsx'
import { Checkbox } from '../../components/ui/field.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { addressOfCall } from '../../lib/http.ts'
import { useCall } from '../../lib/server-state.ts'

type ArchiveDialogProps = Readonly<{
  gameId: number
  onClose: () => void
}>

/** Dialog in which the organizer chooses the contents of the archive of a game. */
export function ArchiveDialog({ gameId, onClose }: ArchiveDialogProps) {
  const { t } = useTranslation(['admin-game', 'common'])
  const params = { id: gameId }
  const { data: writeups, error, mutate } = useCall(operations.listWriteups, { params })
  const [attachments, setAttachments] = useState(true)
  const [chosen, setChosen] = useState<ReadonlySet<number>>(new Set())
  const isAll = writeups !== undefined && chosen.size === writeups.length
  const toggle = (id: number, isChosen: boolean) => {
    const next = new Set(chosen)
    if (isChosen) next.add(id)
    else next.delete(id)
    setChosen(next)
  }
  const download = () => {
    const choice = chosen.size > 0 && { writeups: isAll ? 'all' : [...chosen].join(',') }
    void downloadFile(addressOfCall(ownOperations.downloadGameArchive, { params, query: { attachments, ...choice } }))
    onClose()
  }
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('archive.action')}
      description={t('archive.hint')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:action.cancel')}</Button>
          <Button variant="primary" disabled={!writeups} onClick={download}>
            {t('archive.action')}
          </Button>
        </>
      }
    >
      <div className="stack gap-2">
        <Checkbox label={t('archive.attachments')} checked={attachments} onCheckedChange={setAttachments} />
        {!writeups && !error && <SkeletonLines />}
        {!writeups && error && <ErrorState error={error} onRetry={() => mutate()} />}
        {writeups?.length === 0 && <p className="small muted">{t('archive.none')}</p>}
        {writeups && writeups.length > 0 && (
          <fieldset className="stack gap-2">
            <legend className="visually-hidden">{t('archive.all')}</legend>
            <Checkbox
              label={t('archive.all')}
              checked={isAll || (chosen.size > 0 && 'indeterminate')}
              onCheckedChange={(isChosen) => setChosen(new Set(isChosen ? writeups.map(({ id }) => id) : []))}
            />
            {writeups.map(({ id, team }) => (
              <Checkbox
                key={id}
                label={<bdi>{team.name}</bdi>}
                checked={chosen.has(id)}
                onCheckedChange={(isChosen) => toggle(id, isChosen)}
              />
            ))}
          </fieldset>
        )}
      </div>
    </Dialog>
  )
}
