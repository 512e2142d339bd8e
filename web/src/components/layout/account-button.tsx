import { CircleUserRound } from 'lucide-react'
import type { ComponentProps } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../lib/session.ts'
import { Avatar } from '../ui/avatar.tsx'
import { createLazyMenu } from '../ui/lazy-menu.tsx'
import styles from './shell.module.css'

const AccountMenu = createLazyMenu(() => import('./account-menu.tsx').then((file) => file.AccountMenu))

export function AccountButton() {
  return <AccountMenu trigger={<Trigger />} />
}

function Trigger(props: ComponentProps<'button'>) {
  const { t } = useTranslation()
  const { profile } = useSession()
  return (
    <button {...props} type="button" className={styles.menuAvatar} aria-label={profile?.userName ?? t('nav.account')}>
      {profile ? <Avatar name={profile.userName} src={profile.avatar} size={34} /> : <CircleUserRound aria-hidden />}
    </button>
  )
}
