import type { AdminGame } from '@capstan/contract/games'
import { InputLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { listStartPresets } from '../../components/editing/local-time.ts'
import { TimeField } from '../../components/editing/time-field.tsx'
import { Field } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { FormDialog } from '../../components/ui/form-dialog.tsx'
import { Input } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { serverNow } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/format.ts'
import { call } from '../../lib/http.ts'
import { refreshCallsWithPrefix } from '../../lib/server-state.ts'
import { draftNewGame } from './new-game.ts'

type CloneDialogProps = Readonly<{
  game: AdminGame
  onClose: () => void
  onCloned: (game: AdminGame) => void
}>

/** Dialog that copies a game with a new title and a new start. The copy lasts as long as the original. */
export function CloneGameDialog({ game, onClose, onCloned }: CloneDialogProps) {
  const { t } = useTranslation(['admin-games', 'common'])
  const [title, setTitle] = useState(game.title)
  const [start, setStart] = useState(() => draftNewGame(new Date(serverNow())).start)
  const [isSent, setIsSent] = useState(false)
  const clone = useAction(async () => {
    const made = await call(ownOperations.cloneGame, { params: { id: game.id }, body: { title: title.trim(), start } })
    await refreshCallsWithPrefix('/api/edit/games')
    showToast({ tone: 'ok', title: t('admin-games:create.created', { title: made.title }) })
    onCloned(made)
  })
  const refusal = toFormRefusal(clone.error, ['title', 'start'])
  const isTitleMissing = title.trim() === ''
  const submit = () => {
    setIsSent(true)
    return isTitleMissing || start === '' ? undefined : clone.run()
  }
  const duration = formatDuration(Date.parse(game.end) - Date.parse(game.start))
  return (
    <FormDialog
      title={t('admin-games:clone.title', { title: game.title })}
      description={t('admin-games:clone.text')}
      submitLabel={t('admin-games:clone.submit')}
      busy={clone.busy}
      noValidate
      onSubmit={submit}
      onClose={onClose}
    >
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
        presets={listStartPresets(new Date(serverNow()))}
        onValueChange={setStart}
      />
      <p className="small muted">{t('admin-games:create.length', { duration })}</p>
      {refusal.rest}
    </FormDialog>
  )
}
