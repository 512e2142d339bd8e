import { isPhone } from '@capstan/contract/account-rules'
import type { UserProfile } from '@capstan/contract/accounts'
import { InputLimits, Limits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { useDraft } from '../../components/editing/use-draft.ts'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Field } from '../../components/ui/field.tsx'
import { createSubmitHandler, useAction } from '../../components/ui/form.ts'
import { Input, Textarea } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { useUserNameFault } from '../../components/ui/use-user-name-fault.ts'
import { call } from '../../lib/http.ts'
import { refreshCall } from '../../lib/server-state.ts'

const fields = ['userName', 'bio', 'realName', 'stdNumber', 'phone'] as const
type Draft = Record<(typeof fields)[number], string>

function draftOf(profile: UserProfile): Draft {
  return {
    userName: profile.userName ?? '',
    bio: profile.bio ?? '',
    realName: profile.realName ?? '',
    stdNumber: profile.stdNumber ?? '',
    phone: profile.phone ?? '',
  }
}

/** User name, bio, and personal data for organizers. Typed input survives a refresh of the profile and a reload. */
export function IdentitySection({ profile }: { readonly profile: UserProfile }) {
  const { t } = useTranslation(['account', 'common'])
  const edits = useDraft(`profile-${profile.userId}`, draftOf(profile))
  const draft = edits.value
  const changed = fields.some((field) => draft[field].trim() !== draftOf(profile)[field])
  const nameFault = useUserNameFault()(draft.userName)
  const phoneOk = isPhone(draft.phone.trim())
  const set = (field: keyof Draft) => (event: { target: { value: string } }) => edits.set({ [field]: event.target.value })
  const save = useAction(async () => {
    if (!changed) throw new Error(t('common:field.unchanged'))
    await call(operations.updateOwnProfile, {
      body: Object.fromEntries(fields.map((field) => [field, draft[field].trim()])),
    })
    await refreshCall(operations.getOwnProfile)
    edits.discard()
    showToast({ tone: 'ok', title: t('account:profile.saved') })
  })
  const refusal = toFormRefusal(save.error, fields)
  const submit = () => (nameFault === undefined && phoneOk ? save.run() : undefined)
  return (
    <Card title={t('account:profile.identity')}>
      <form className="stack" noValidate onSubmit={createSubmitHandler(submit)}>
        <Field label={t('account:userName')} hint={t('account:userNameHint')} error={nameFault ?? refusal.of('userName')}>
          {(control) => <Input {...control} value={draft.userName} autoComplete="username" onChange={set('userName')} />}
        </Field>
        <Field label={t('account:profile.bio')} optional error={refusal.of('bio')}>
          {(control) => <Textarea {...control} value={draft.bio} maxLength={Limits.maxUserBioLength} onChange={set('bio')} />}
        </Field>
        <div className="pair">
          <Field label={t('account:profile.realName')} optional error={refusal.of('realName')}>
            {(control) => (
              <Input
                {...control}
                value={draft.realName}
                maxLength={Limits.maxRealNameLength}
                autoComplete="name"
                onChange={set('realName')}
              />
            )}
          </Field>
          <Field label={t('account:profile.stdNumber')} optional error={refusal.of('stdNumber')}>
            {(control) => (
              <Input {...control} value={draft.stdNumber} maxLength={Limits.maxStudentNumberLength} onChange={set('stdNumber')} />
            )}
          </Field>
          <Field
            label={t('account:profile.phone')}
            optional
            error={phoneOk ? refusal.of('phone') : t('account:profile.phoneInvalid')}
          >
            {(control) => (
              <Input
                {...control}
                type="tel"
                value={draft.phone}
                maxLength={InputLimits.maxPhoneLength}
                autoComplete="tel"
                onChange={set('phone')}
              />
            )}
          </Field>
        </div>
        {refusal.rest}
        <div className="row">
          <Button type="submit" variant="primary" busy={save.busy}>
            {t('account:profile.save')}
          </Button>
        </div>
      </form>
    </Card>
  )
}
