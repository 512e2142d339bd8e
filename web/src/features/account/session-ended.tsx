import type { UserProfile } from '@capstan/contract/accounts'
import { useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { continueAsVisitor, resumeSession } from '../../lib/session.ts'
import { LoginForm } from './login-form.tsx'

/** Login dialog that opens over the page when the session ends. The page retains the input of the user. */
export function SessionEndedDialog({ profile }: { readonly profile: UserProfile }) {
  const { t } = useTranslation('account')
  const password = useRef<HTMLInputElement>(null)
  return (
    <Dialog
      open
      keepOpenOutside
      initialFocus={password}
      onOpenChange={() => void continueAsVisitor()}
      title={t('ended.title')}
      description={t('ended.text')}
      footer={<Button onClick={() => void continueAsVisitor()}>{t('ended.leave')}</Button>}
    >
      <LoginForm knownName={profile.userName ?? ''} passwordField={password} onLoggedIn={() => resumeSession(profile)} />
    </Dialog>
  )
}
