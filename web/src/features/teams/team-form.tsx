import { Limits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import type { TeamInfo } from '@capstan/contract/teams'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Field } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { FormDialog } from '../../components/ui/form-dialog.tsx'
import { Input, Textarea } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refreshCall } from '../../lib/server-state.ts'
import { updateTeamInList } from './own-teams.ts'

export type TeamFormProps = Readonly<{
  team?: TeamInfo
  onCreated?: (name: string) => void
  onClose: () => void
}>

export function TeamForm({ team, onCreated, onClose }: TeamFormProps) {
  const { t } = useTranslation(['teams', 'common'])
  const [name, setName] = useState(team?.name ?? '')
  const [bio, setBio] = useState(team?.bio ?? '')
  const [sent, setSent] = useState(false)
  const missing = name.trim() === ''
  const save = useAction(async () => {
    const body = { name: name.trim(), bio: bio.trim() }
    if (!team) {
      await call(operations.createTeam, { body })
      await refreshCall(operations.listOwnTeams)
      onCreated?.(body.name)
    } else {
      if (body.name === team.name && body.bio === (team.bio ?? '')) throw new Error(t('common:field.unchanged'))
      await updateTeamInList(await call(operations.updateTeam, { params: { id: team.id }, body }))
      showToast({ tone: 'ok', title: t('teams:edit.saved') })
    }
    onClose()
  })
  const refusal = toFormRefusal(save.error, ['name', 'bio'])
  const submit = () => {
    setSent(true)
    return missing ? undefined : save.run()
  }
  return (
    <FormDialog
      keepOpenOutside
      title={team ? t('teams:edit.title', { team: team.name ?? '' }) : t('teams:createForm.title')}
      description={team ? undefined : t('teams:createForm.text')}
      submitLabel={team ? t('common:action.save') : t('teams:createForm.submit')}
      busy={save.busy}
      noValidate
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={t('teams:edit.name')}
        hint={t('teams:edit.nameHint')}
        error={sent && missing ? t('common:field.empty') : refusal.of('name')}
      >
        {(control) => (
          <Input
            {...control}
            value={name}
            maxLength={Limits.maxTeamNameLength}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('teams:edit.bio')} hint={t('teams:edit.bioHint')} error={refusal.of('bio')} optional>
        {(control) => (
          <Textarea
            {...control}
            value={bio}
            maxLength={Limits.maxTeamBioLength}
            onChange={(event) => setBio(event.target.value)}
          />
        )}
      </Field>
      {refusal.rest}
    </FormDialog>
  )
}
