import type { AdminGame } from '@capstan/contract/games'
import { InputLimits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { listEndPresets, listStartPresets } from '../../components/editing/local-time.ts'
import { TimeField } from '../../components/editing/time-field.tsx'
import { Field, Switch } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { FormDialog } from '../../components/ui/form-dialog.tsx'
import { Input } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { serverNow } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/format.ts'
import { call } from '../../lib/http.ts'
import { refreshCallsWithPrefix } from '../../lib/server-state.ts'
import { draftNewGame, findNewGameFaults, moveGameStart, toCreateGameRequest } from './new-game.ts'

type CreateDialogProps = Readonly<{
  onClose: () => void
  onCreated: (game: AdminGame) => void
}>

/** Dialog for the title and times of a new game. Other settings are on the pages of the game. */
export function CreateGameDialog({ onClose, onCreated }: CreateDialogProps) {
  const { t } = useTranslation(['admin-games', 'common'])
  const [game, setGame] = useState(() => draftNewGame(new Date(serverNow())))
  const [isSent, setIsSent] = useState(false)
  const faults = findNewGameFaults(game)
  const create = useAction(async () => {
    const created = await call(operations.createGame, { body: toCreateGameRequest(game) })
    await refreshCallsWithPrefix('/api/edit/games')
    showToast({ tone: 'ok', title: t('admin-games:create.created', { title: created.title }) })
    onCreated(created)
  })
  const refusal = toFormRefusal(create.error, ['title', 'start', 'end'])
  const submit = () => {
    setIsSent(true)
    return faults.size === 0 ? create.run() : undefined
  }
  const timeError = (field: 'start' | 'end') => {
    if (faults.has(field)) return isSent ? t('admin-games:create.timeMissing') : undefined
    return field === 'end' && faults.has('order') ? t('admin-games:create.endBefore') : undefined
  }
  const lengthMs = Date.parse(game.end) - Date.parse(game.start)
  return (
    <FormDialog
      size="large"
      keepOpenOutside={game.title !== ''}
      title={t('admin-games:create.title')}
      description={t('admin-games:create.text')}
      submitLabel={t('admin-games:create.submit')}
      busy={create.busy}
      noValidate
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={t('admin-games:create.name')}
        error={isSent && faults.has('title') ? t('admin-games:create.nameMissing') : refusal.of('title')}
      >
        {(control) => (
          <Input
            {...control}
            value={game.title}
            maxLength={InputLimits.maxTitleLength}
            autoComplete="off"
            onChange={(event) => setGame({ ...game, title: event.target.value })}
          />
        )}
      </Field>
      <div className="pair">
        {(['start', 'end'] as const).map((field) => (
          <TimeField
            key={field}
            label={t(`admin-games:create.${field}`)}
            error={timeError(field) ?? refusal.of(field)}
            value={game[field]}
            presets={field === 'start' ? listStartPresets(new Date(serverNow())) : listEndPresets(game.start)}
            onValueChange={(at) => setGame(field === 'start' ? moveGameStart(game, at) : { ...game, end: at })}
          />
        ))}
      </div>
      {lengthMs > 0 && <p className="small muted">{t('admin-games:create.length', { duration: formatDuration(lengthMs) })}</p>}
      <Switch
        label={t('admin-games:create.hidden')}
        hint={t('admin-games:create.hiddenHint')}
        checked={game.hidden}
        onCheckedChange={(hidden) => setGame({ ...game, hidden })}
      />
      {refusal.rest}
    </FormDialog>
  )
}
