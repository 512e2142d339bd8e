import type { AdminGame } from '@capstan/contract/games'
import { InputLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { startPresets } from '../../components/editing/local-time.ts'
import { TimeField } from '../../components/editing/time-field.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import { onSubmit, useAction } from '../../components/ui/form.ts'
import { Input } from '../../components/ui/input.tsx'
import { refusalOf } from '../../components/ui/refusal.tsx'
import { toast } from '../../components/ui/toast.ts'
import { serverNow } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/format.ts'
import { call } from '../../lib/http.ts'
import { refreshUnder } from '../../lib/server-state.ts'
import { proposeGame } from './new-game.ts'

type CloneDialogProps = Readonly<{
  game: AdminGame
  onClose: () => void
  onCloned: (game: AdminGame) => void
}>

/** Dialog that copies a game with a new title and start. The copy has the same length. */
export function CloneDialog({ game, onClose, onCloned }: CloneDialogProps) {
  const { t } = useTranslation(['admin-games', 'common'])
  const formId = useId()
  const [title, setTitle] = useState(game.title)
  const [start, setStart] = useState(() => proposeGame(new Date(serverNow())).start)
  const [isSent, setIsSent] = useState(false)
  const clone = useAction(async () => {
    const made = await call(ownOperations.cloneGame, { params: { id: game.id }, body: { title: title.trim(), start } })
    await refreshUnder('/api/edit/games')
    toast({ tone: 'ok', title: t('admin-games:create.created', { title: made.title }) })
    onCloned(made)
  })
  const refusal = refusalOf(clone.error, ['title', 'start'])
  const isTitleMissing = title.trim() === ''
  const submit = () => {
    setIsSent(true)
    return isTitleMissing || start === '' ? undefined : clone.run()
  }
  const duration = formatDuration(Date.parse(game.end) - Date.parse(game.start))
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('admin-games:clone.title', { title: game.title })}
      description={t('admin-games:clone.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={clone.busy}>
            {t('admin-games:clone.submit')}
          </Button>
        </>
      }
    >
      <form id={formId} className="stack" noValidate onSubmit={onSubmit(submit)}>
        <Field
          label={t('admin-games:create.name')}
          error={isSent && isTitleMissing ? t('admin-games:create.nameMissing') : refusal.of('title')}
        >
          {(control) => (
            <Input
              {...control}
              value={title}
              maxLength={InputLimits.maxTitleLength}
              autoComplete="off"
              onChange={(event) => setTitle(event.target.value)}
            />
          )}
        </Field>
        <TimeField
          label={t('admin-games:create.start')}
          error={isSent && start === '' ? t('admin-games:create.timeMissing') : refusal.of('start')}
          value={start}
          presets={startPresets(new Date(serverNow()))}
          onValueChange={setStart}
        />
        <p className="small muted">{t('admin-games:create.length', { duration })}</p>
        {refusal.rest}
      </form>
    </Dialog>
  )
}
