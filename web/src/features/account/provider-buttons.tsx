import type { SignInOptions } from '@capstan/contract/sign-in'
import { KeyRound } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { startProviderSignIn } from '../../lib/sign-in.ts'

type ProviderButtonsProps = Readonly<{
  providers: SignInOptions['providers']
  /** Address to open after the login. */
  from: string | null
}>

export function ProviderButtons({ providers, from }: ProviderButtonsProps) {
  const { t } = useTranslation('account')
  const [chosen, setChosen] = useState('')
  const start = useAction(async (key: string) => {
    setChosen(key)
    await startProviderSignIn(key, 'LogIn', from)
  })
  return (
    <div className="stack gap-2">
      {providers.map(({ key, name }) => (
        <Button key={key} wide busy={start.busy && chosen === key} onClick={() => void start.run(key)}>
          <KeyRound aria-hidden />
          <bdi className="wrap-anywhere">{t('signIn.with', { name })}</bdi>
        </Button>
      ))}
      {start.error !== undefined && (
        <FieldError>
          <ErrorText error={start.error} />
        </FieldError>
      )}
    </div>
  )
}
