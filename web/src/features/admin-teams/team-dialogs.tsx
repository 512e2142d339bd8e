import { Limits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import type { TeamInfo } from '@capstan/contract/teams'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ConflictAlert } from '../../components/editing/conflict-alert.tsx'
import { useDraft } from '../../components/editing/use-draft.ts'
import { Button } from '../../components/ui/button.tsx'
import { DeleteDialog } from '../../components/ui/delete-dialog.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field, Switch } from '../../components/ui/field.tsx'
import { useAction, useLongForm } from '../../components/ui/form.ts'
import { Input, Textarea } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { changeTeam, listTeamChanges, readTeam, refreshTeams, toTeamDraft } from './team-changes.ts'
import { TeamMembers } from './team-members.tsx'
import { TeamProviderLink } from './team-provider.tsx'

type TeamDialogProps = Readonly<{
  team: TeamInfo
  onClose: () => void
}>

export function TeamForm({ team, onClose }: TeamDialogProps) {
  const { t } = useTranslation(['admin-teams', 'common'])
  const formId = useId()
  // Values from the time when the dialog opened, or from the last save. A refresh must not change these values, because the edits
  // are compared with them.
  const [stored, setStored] = useState(team)
  const edits = useDraft(`team-${team.id}`, toTeamDraft(stored))
  const { value: draft, set } = edits
  const isChanged = Object.keys(listTeamChanges(toTeamDraft(stored), draft)).length > 0
  const isContested = edits.conflicts.length > 0
  const nameLength = [...draft.name.trim()].length
  const isNameOk = nameLength > 0 && nameLength <= Limits.maxTeamNameLength
  const close = () => {
    edits.discard()
    onClose()
  }
  const save = useAction(async () => {
    // Read the team again first, so that the save does not overwrite the change of another admin.
    const newer = await readTeam(team)
    setStored(newer)
    const known = toTeamDraft(newer)
    if (edits.conflictsWith(known).length > 0) return
    await changeTeam(newer, listTeamChanges(known, { ...known, ...edits.changes }))
    showToast({ tone: 'ok', title: t('admin-teams:form.saved', { name: draft.name.trim() }) })
    close()
  })
  const refusal = toFormRefusal(save.error, ['name', 'bio'])
  const submit = () => (isNameOk && isChanged && !isContested ? save.run() : undefined)
  const longForm = useLongForm(submit)
  return (
    <Dialog
      open
      onOpenChange={close}
      keepOpenOutside={isChanged}
      title={t('admin-teams:form.title', { name: stored.name ?? '' })}
      footer={
        <>
          <Button onClick={close}>{t('common:action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={save.busy} disabled={!isChanged || isContested}>
            {t('admin-teams:form.save')}
          </Button>
        </>
      }
    >
      <div className="stack gap-6">
        <form {...longForm} id={formId} className="stack" noValidate>
          <Field
            label={t('admin-teams:form.name')}
            hint={t('admin-teams:form.nameHint')}
            error={isNameOk ? refusal.of('name') : t('admin-teams:form.nameMissing')}
          >
            {(control) => (
              <Input {...control} value={draft.name} autoComplete="off" onChange={(event) => set({ name: event.target.value })} />
            )}
          </Field>
          <Field label={t('admin-teams:form.bio')} optional hint={t('admin-teams:form.bioHint')} error={refusal.of('bio')}>
            {(control) => (
              <Textarea
                {...control}
                rows={2}
                maxLength={Limits.maxTeamBioLength}
                value={draft.bio}
                onChange={(event) => set({ bio: event.target.value })}
              />
            )}
          </Field>
          <Switch
            label={t('admin-teams:form.locked')}
            hint={t('admin-teams:form.lockedHint')}
            checked={draft.locked}
            onCheckedChange={(locked) => set({ locked })}
          />
          <ConflictAlert draft={edits} labelOf={(field) => t(`admin-teams:form.${field}`)} />
          {refusal.rest}
        </form>
        <TeamMembers team={stored} onChange={setStored} />
        <TeamProviderLink team={stored} />
      </div>
    </Dialog>
  )
}

export function DeleteTeamDialog({ team, onClose }: TeamDialogProps) {
  const { t } = useTranslation('admin-teams')
  const name = team.name ?? ''
  const remove = async () => {
    await call(operations.adminDeleteTeam, { params: { id: team.id } })
    await refreshTeams()
    showToast({ tone: 'ok', title: t('deleted', { name }) })
    onClose()
  }
  return (
    <DeleteDialog
      name={name}
      title={t('deleteTitle', { name })}
      description={t('deleteText')}
      confirm={t('deleteConfirm', { name })}
      onDelete={remove}
      onClose={onClose}
    />
  )
}
