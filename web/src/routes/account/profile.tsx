import { useTranslation } from 'react-i18next'
import { RoleGate } from '../../components/layout/access.tsx'
import { PageLayout } from '../../components/layout/page.tsx'
import styles from '../../features/account/account.module.css'
import { AvatarSection } from '../../features/account/avatar-section.tsx'
import { EmailSection } from '../../features/account/email-section.tsx'
import { GameMailSection } from '../../features/account/game-mail-section.tsx'
import { IdentitySection } from '../../features/account/identity-section.tsx'
import { PasswordSection } from '../../features/account/password-section.tsx'
import { ProvidersSection } from '../../features/account/providers-section.tsx'
import { PublicPageSection } from '../../features/account/public-page-section.tsx'
import { SecondFactorSection } from '../../features/account/second-factor-section.tsx'
import { SessionsSection } from '../../features/account/sessions-section.tsx'
import { useSession } from '../../lib/session.ts'

export function Route() {
  return (
    <RoleGate>
      <Profile />
    </RoleGate>
  )
}

function Profile() {
  const { t } = useTranslation('account')
  const { profile } = useSession()
  if (!profile) return null
  return (
    <PageLayout title={t('profile.title')} description={t('profile.description')}>
      <div className={styles.profile}>
        <div className="stack">
          <AvatarSection profile={profile} />
          <IdentitySection profile={profile} />
          <ProvidersSection />
        </div>
        <div className="stack">
          <PublicPageSection userId={profile.userId} />
          <EmailSection email={profile.email} />
          <GameMailSection />
          <PasswordSection />
          <SecondFactorSection />
          <SessionsSection />
        </div>
      </div>
    </PageLayout>
  )
}
