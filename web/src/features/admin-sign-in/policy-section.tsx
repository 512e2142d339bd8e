import { ownOperations } from '@capstan/contract/operations'
import type { SignInPolicy, SignInSettings } from '@capstan/contract/sign-in'
import { secondFactorPolicies } from '@capstan/contract/vocabulary'
import { useTranslation } from 'react-i18next'
import { Field, FieldError, Switch } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Select } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { call } from '../../lib/http.ts'
import { refreshCall } from '../../lib/server-state.ts'

/** Rules for logins. Each change applies immediately. */
export function PolicySection({ settings }: { readonly settings: SignInSettings }) {
  const { t } = useTranslation('admin-sign-in')
  const save = useAction(async (change: Partial<SignInPolicy>) => {
    await call(ownOperations.setSignInPolicy, { body: { passwords: settings.passwords, ...change } })
    await Promise.all([refreshCall(ownOperations.getSignInSettings), refreshCall(ownOperations.getSignInOptions)])
  })
  return (
    <div className="stack start gap-2">
      <Switch
        label={t('passwords')}
        hint={t('passwordsHint')}
        checked={settings.passwords}
        disabled={save.busy}
        onCheckedChange={(passwords) => void save.run({ passwords })}
      />
      <Field label={t('secondFactor.label')} hint={t('secondFactor.hint')}>
        {(control) => (
          <Select
            {...control}
            value={settings.secondFactor}
            disabled={save.busy}
            onValueChange={(secondFactor) => void save.run({ secondFactor })}
            options={secondFactorPolicies.map((value) => ({ value, label: t(`secondFactor.${value}`) }))}
          />
        )}
      </Field>
      {save.error !== undefined && (
        <FieldError>
          <ErrorText error={save.error} />
        </FieldError>
      )}
    </div>
  )
}
