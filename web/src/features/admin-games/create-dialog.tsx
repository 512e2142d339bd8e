import type { AdminGame } from '@capstan/contract/games'
import { InputLimits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { endPresets, startPresets } from '../../components/editing/local-time.ts'
import { TimeField } from '../../components/editing/time-field.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field, Switch } from '../../components/ui/field.tsx'
import { onSubmit, useAction } from '../../components/ui/form.ts'
import { Input } from '../../components/ui/input.tsx'
import { refusalOf } from '../../components/ui/refusal.tsx'
import { toast } from '../../components/ui/toast.ts'
import { serverNow } from '../../lib/clock.ts'
import { formatDuration } from '../../lib/format.ts'
import { call } from '../../lib/http.ts'
import { refreshUnder } from '../../lib/server-state.ts'
import { faultsOf, moveStart, proposeGame, toGameWrite } from './new-game.ts'

type CreateDialogProps = Readonly<{
  onClose: () => void
  onCreated: (game: AdminGame) => void
}>

/** Dialog for the title and times of a new game. Other settings are on the pages of the game. */
export function CreateDialog({ onClose, onCreated }: CreateDialogProps) {
  const { t } = useTranslation(['admin-games', 'common'])
  const formId = useId()
  const [game, setGame] = useState(() => proposeGame(new Date(serverNow())))
  const [isSent, setIsSent] = useState(false)
  const faults = faultsOf(game)
  const create = useAction(async () => {
    const created = await call(operations.createGame, { body: toGameWrite(game) })
    await refreshUnder('/api/edit/games')
    toast({ tone: 'ok', title: t('admin-games:create.created', { title: created.title }) })
    onCreated(created)
  })
  const refusal = refusalOf(create.error, ['title', 'start', 'end'])
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
    <Dialog
      open
      onOpenChange={onClose}
      size="large"
      keepOpenOutside={game.title !== ''}
      title={t('admin-games:create.title')}
      description={t('admin-games:create.text')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={create.busy}>
            {t('admin-games:create.submit')}
          </Button>
        </>
      }
    >
      <form id={formId} className="stack" noValidate onSubmit={onSubmit(submit)}>
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
              presets={field === 'start' ? startPresets(new Date(serverNow())) : endPresets(game.start)}
              onValueChange={(at) => setGame(field === 'start' ? moveStart(game, at) : { ...game, end: at })}
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
      </form>
    </Dialog>
  )
}
