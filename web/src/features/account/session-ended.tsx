import type { UserProfile } from '@capstan/contract/accounts'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { sessionLeft, sessionResumed } from '../../lib/session.ts'
import { LoginForm } from './login-form.tsx'

/** Over the page whose session ended: logging in again keeps the page as it is, with all that was typed. */
export function SessionEnded({ profile }: { readonly profile: UserProfile }) {
  const { t } = useTranslation('account')
  return (
    <Dialog
      open
      keepOpenOutside
      onOpenChange={() => void sessionLeft()}
      title={t('ended.title')}
      description={t('ended.text')}
      footer={<Button onClick={() => void sessionLeft()}>{t('ended.leave')}</Button>}
    >
      <LoginForm knownName={profile.userName ?? ''} onLoggedIn={() => sessionResumed(profile)} />
    </Dialog>
  )
}
