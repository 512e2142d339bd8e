import { hasRight } from '@capstan/contract/division-rights'
import type { Division } from '@capstan/contract/divisions'
import { operations, ownOperations } from '@capstan/contract/operations'
import { Dices, Trash2 } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { ConfirmationDialog, Dialog } from '../../components/ui/dialog.tsx'
import { Checkbox, Field } from '../../components/ui/field.tsx'
import { useAction, useLongForm } from '../../components/ui/form.ts'
import { Input } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refreshCall } from '../../lib/server-state.ts'
import styles from './admin-game.module.css'
import { ChallengeRights } from './challenge-rights.tsx'
import {
  createInvitationCode,
  findDivisionFaults,
  setDivisionRight,
  shownRights,
  toDivisionForm,
  toDivisionRequest,
} from './division-form.ts'

type DivisionDialogProps = Readonly<{
  gameId: number
  acceptWithoutReview: boolean
  /** Division to edit. Undefined to create one. */
  division: Division | undefined
  /** Names of all divisions of the game except `division`. */
  others: readonly string[]
  onClose: () => void
}>

/** Refreshes all data that contains the divisions of a game. */
async function refreshDivisions(id: number) {
  await Promise.all([
    refreshCall(ownOperations.listDivisions, { params: { id } }),
    refreshCall(operations.adminGetGame, { params: { id } }),
    refreshCall(operations.getGame, { params: { id } }),
    refreshCall(operations.listParticipations, { params: { id } }),
  ])
}

/** Dialog for the name, invitation code and rights of a division. */
export function DivisionDialog({ gameId, acceptWithoutReview, division, others, onClose }: DivisionDialogProps) {
  const { t } = useTranslation(['admin-game', 'common'])
  const formId = useId()
  const [form, setForm] = useState(() => toDivisionForm(division, acceptWithoutReview))
  const [isSent, setSent] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const faults = findDivisionFaults(form, others)
  const save = useAction(async () => {
    const [params, body] = [{ id: gameId }, toDivisionRequest(form)]
    if (division) await call(ownOperations.updateDivision, { params: { ...params, did: division.id }, body })
    else await call(ownOperations.createDivision, { params, body })
    await refreshDivisions(gameId)
    showToast({ tone: 'ok', title: t('admin-game:division.saved') })
    onClose()
  })
  const refusal = toFormRefusal(save.error, ['name', 'code'])
  const set = (patch: Partial<typeof form>) => {
    save.reset()
    setForm((known) => ({ ...known, ...patch }))
  }
  const submit = () => {
    setSent(true)
    return faults.name || faults.code ? undefined : save.run()
  }
  const longForm = useLongForm(submit)
  return (
    <Dialog
      open
      keepOpenOutside
      size="large"
      onOpenChange={onClose}
      title={division ? t('admin-game:division.edit', { name: division.name }) : t('admin-game:division.add')}
      footer={
        <>
          {division && (
            <Button className={styles.divisionDelete} onClick={() => setAsking(true)}>
              <Trash2 aria-hidden />
              {t('admin-game:division.delete')}
            </Button>
          )}
          <Button onClick={onClose}>{t('common:action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={save.busy}>
            {t(division ? 'common:action.save' : 'common:action.create')}
          </Button>
        </>
      }
    >
      <form {...longForm} id={formId} className="stack" noValidate>
        <Field
          label={t('admin-game:division.name')}
          error={isSent && faults.name ? t(`admin-game:fault.${faults.name}`) : refusal.of('name')}
        >
          {(control) => <Input {...control} value={form.name} onChange={(event) => set({ name: event.target.value })} />}
        </Field>
        <Field
          optional
          label={t('admin-game:field.inviteCode')}
          hint={t('admin-game:division.codeHint')}
          error={isSent && faults.code ? t(`admin-game:fault.${faults.code}`) : refusal.of('code')}
        >
          {(control) => (
            <div className={styles.divisionCode}>
              <Input
                {...control}
                className="mono"
                autoComplete="off"
                spellCheck={false}
                value={form.code}
                onChange={(event) => set({ code: event.target.value })}
              />
              <IconButton label={t('admin-game:division.generate')} onClick={() => set({ code: createInvitationCode() })}>
                <Dices />
              </IconButton>
            </div>
          )}
        </Field>
        <fieldset className="stack gap-3">
          <legend>{t('admin-game:division.rights')}</legend>
          {shownRights.map((right) => (
            <Checkbox
              key={right}
              label={t(`admin-game:division.right.${right}`)}
              hint={t(`admin-game:division.rightHint.${right}`)}
              checked={hasRight(form.permissions, right)}
              onCheckedChange={(isGranted) => set({ permissions: setDivisionRight(form.permissions, right, isGranted) })}
            />
          ))}
        </fieldset>
        <ChallengeRights
          gameId={gameId}
          permissions={form.permissions}
          overrides={form.overrides}
          onChange={(overrides) => set({ overrides })}
        />
        {refusal.rest}
      </form>
      {isAsking && division && (
        <DeleteDivision gameId={gameId} division={division} onClose={() => setAsking(false)} onDelete={onClose} />
      )}
    </Dialog>
  )
}

type DeleteDivisionProps = Readonly<{
  gameId: number
  division: Division
  onClose: () => void
  onDelete: () => void
}>

function DeleteDivision({ gameId, division, onClose, onDelete }: DeleteDivisionProps) {
  const { t } = useTranslation('admin-game')
  const remove = useAction(async () => {
    await call(ownOperations.deleteDivision, { params: { id: gameId, did: division.id } })
    await refreshDivisions(gameId)
    showToast({ tone: 'ok', title: t('division.deleted', { name: division.name }) })
    onDelete()
  })
  return (
    <ConfirmationDialog
      open
      onOpenChange={onClose}
      title={t('division.deleteQuestion', { name: division.name })}
      description={t('division.deleteText')}
      confirm={t('division.delete')}
      danger
      busy={remove.busy}
      error={remove.error === undefined ? undefined : <ErrorText error={remove.error} />}
      onConfirm={() => void remove.run()}
    />
  )
}
