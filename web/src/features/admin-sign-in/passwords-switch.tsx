import { ownOperations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { Switch } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { call } from '../../lib/http.ts'
import { refresh } from '../../lib/server-state.ts'

/** Switch for logins with passwords. It applies immediately. */
export function PasswordsSwitch({ passwords }: { readonly passwords: boolean }) {
  const { t } = useTranslation('admin-sign-in')
  const save = useAction(async (isOn: boolean) => {
    await call(ownOperations.setSignInPolicy, { body: { passwords: isOn } })
    await Promise.all([refresh(ownOperations.getSignInSettings), refresh(ownOperations.getSignInOptions)])
  })
  return (
    <div className="stack gap-2">
      <Switch
        label={t('passwords')}
        hint={t('passwordsHint')}
        checked={passwords}
        disabled={save.busy}
        onCheckedChange={(isOn) => void save.run(isOn)}
      />
      {save.error !== undefined && (
        <p role="alert" className="small">
          <ErrorText error={save.error} />
        </p>
      )}
    </div>
  )
}
