import { InputLimits, Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { SignInProvider } from '@capstan/contract/sign-in'
import { signedOutPath, signInReturnPath } from '@capstan/contract/sign-in-paths'
import { signInKinds } from '@capstan/contract/vocabulary'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { Field, Switch } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { FormDialog } from '../../components/ui/form-dialog.tsx'
import { Input, PasswordInput, Select } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refreshCall } from '../../lib/server-state.ts'
import {
  blankProvider,
  kindNames,
  listFaultyProviderFields,
  type ProviderDraft,
  toProviderDraft,
  toProviderRequest,
  willStoredSecretBeDeleted,
} from './provider-draft.ts'

type ProviderDialogProps = Readonly<{
  /** Provider to change. Undefined for a new one. */
  provider?: SignInProvider | undefined
  /** Public origin of the platform, for the callback address. */
  origin: string | null
  onClose: () => void
}>

/** Text fields in the order of the form. */
const mainFields = ['name', 'key', 'issuer', 'clientId', 'clientSecret'] as const
const claimFields = ['scope', 'userName', 'realName', 'stdNumber', 'adminClaim', 'adminValue', 'team', 'division'] as const
type TextField = (typeof mainFields)[number] | (typeof claimFields)[number]

const maxLengths: Readonly<Record<TextField, number>> = {
  name: Limits.maxProviderNameLength,
  key: Limits.maxProviderKeyLength,
  issuer: InputLimits.maxUrlLength,
  clientSecret: InputLimits.maxClientSecretLength,
  ...{ clientId: InputLimits.maxClaimLength, scope: InputLimits.maxClaimLength, userName: InputLimits.maxClaimLength },
  ...{ realName: InputLimits.maxClaimLength, stdNumber: InputLimits.maxClaimLength },
  ...{ team: InputLimits.maxClaimLength, division: InputLimits.maxClaimLength },
  ...{ adminClaim: InputLimits.maxClaimLength, adminValue: InputLimits.maxClaimLength },
}

export function ProviderDialog({ provider, origin, onClose }: ProviderDialogProps) {
  const { t } = useTranslation(['admin-sign-in', 'common'])
  const [draft, setDraft] = useState<ProviderDraft>(provider ? toProviderDraft(provider) : blankProvider)
  const [isSent, setIsSent] = useState(false)
  const faults = listFaultyProviderFields(draft, provider)
  const set = (change: Partial<ProviderDraft>) => setDraft((known) => ({ ...known, ...change }))
  const save = useAction(async () => {
    const body = toProviderRequest(draft)
    if (provider) await call(ownOperations.updateSignInProvider, { params: { id: provider.id }, body })
    else await call(ownOperations.createSignInProvider, { body })
    await Promise.all([refreshCall(ownOperations.getSignInSettings), refreshCall(ownOperations.getSignInOptions)])
    showToast({ tone: 'ok', title: t('admin-sign-in:saved', { name: body.name }) })
    onClose()
  })
  const refusal = toFormRefusal(save.error, [...mainFields, ...claimFields])
  const submit = () => {
    setIsSent(true)
    return faults.size === 0 ? save.run() : undefined
  }
  const isOpenId = draft.kind === 'OpenId'
  const shownFields = mainFields.filter((field) => isOpenId || field !== 'issuer')
  const isSecretConfigured = provider?.isSecretConfigured === true
  const storedHint = provider?.hasSecret && !willStoredSecretBeDeleted(draft, provider) ? 'storedSecret' : 'clientSecret'
  const secretHint = isSecretConfigured ? 'configuredSecret' : storedHint
  const text = (field: TextField) => (
    <Field
      key={field}
      label={t(`admin-sign-in:field.${field}`)}
      hint={t(`admin-sign-in:hint.${field === 'clientSecret' ? secretHint : field}`)}
      error={
        isSent && faults.has(field)
          ? t(`admin-sign-in:fault.${field === 'key' || field === 'issuer' ? field : 'empty'}`)
          : refusal.of(field)
      }
    >
      {(control) => {
        const shared = {
          ...control,
          value: draft[field],
          maxLength: maxLengths[field],
          autoComplete: field === 'clientSecret' ? 'new-password' : 'off',
          spellCheck: false,
          disabled: field === 'clientSecret' && isSecretConfigured,
          onChange: (event: { target: { value: string } }) => set({ [field]: event.target.value }),
        }
        return field === 'clientSecret' ? <PasswordInput {...shared} /> : <Input {...shared} />
      }}
    </Field>
  )
  const callback = origin !== null && !faults.has('key') ? new URL(signInReturnPath(draft.key), origin).href : undefined
  return (
    <FormDialog
      keepOpenOutside
      size="large"
      title={provider ? t('admin-sign-in:edit', { name: provider.name }) : t('admin-sign-in:new')}
      description={t('admin-sign-in:dialogText')}
      submitLabel={t(provider ? 'common:action.save' : 'common:action.create')}
      busy={save.busy}
      noValidate
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('admin-sign-in:field.kind')}>
        {(control) => (
          <Select
            {...control}
            value={draft.kind}
            onValueChange={(kind) => set({ kind })}
            options={signInKinds.map((value) => ({ value, label: kindNames[value] }))}
          />
        )}
      </Field>
      {shownFields.map(text)}
      {callback !== undefined && (
        <p className="row gap-2">
          <span className="muted wrap-anywhere">{t('admin-sign-in:callback', { address: callback })}</span>
          <CopyButton text={callback} label={t('admin-sign-in:copyCallback')} />
        </p>
      )}
      {isOpenId && (
        <details>
          <summary>{t('admin-sign-in:claims')}</summary>
          <div className="stack">{claimFields.map(text)}</div>
        </details>
      )}
      {(draft.kind === 'Ctftime' || (isOpenId && draft.team !== '')) && (
        <Switch
          label={t('admin-sign-in:teamsEachTime')}
          hint={t('admin-sign-in:teamsEachTimeHint')}
          checked={draft.teamsEachTime}
          onCheckedChange={(teamsEachTime) => set({ teamsEachTime })}
        />
      )}
      {isOpenId && (
        <Switch
          label={t('admin-sign-in:endsSession')}
          hint={t('admin-sign-in:endsSessionHint', { address: new URL(signedOutPath, origin ?? window.location.origin).href })}
          checked={draft.endsSession}
          onCheckedChange={(endsSession) => set({ endsSession })}
        />
      )}
      <Switch
        label={t('admin-sign-in:enabled')}
        hint={t('admin-sign-in:enabledHint')}
        checked={draft.isEnabled}
        onCheckedChange={(isEnabled) => set({ isEnabled })}
      />
      {refusal.rest}
    </FormDialog>
  )
}
