import { CircleUserRound } from 'lucide-react'
import { type ComponentProps, lazy, Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useSession } from '../../lib/session.ts'
import { Avatar } from '../ui/avatar.tsx'
import styles from './shell.module.css'

const loadMenu = () => import('./account-menu.tsx')

const AccountMenu = lazy(() => loadMenu().then((file) => ({ default: file.AccountMenu })))

/** Who is signed in. The menu behind it is loaded when it is about to be used. */
export function AccountButton() {
  const [isWanted, setWanted] = useState(false)
  const preload = () => void loadMenu().catch(() => undefined)
  const button = (
    <Trigger
      aria-haspopup="menu"
      aria-expanded={false}
      onPointerEnter={preload}
      onFocus={preload}
      onClick={() => setWanted(true)}
    />
  )
  if (!isWanted) return button
  return (
    <Suspense fallback={button}>
      <AccountMenu trigger={<Trigger />} />
    </Suspense>
  )
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
