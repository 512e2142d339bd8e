import { Bell, IdCard, Info, Languages, LogIn, LogOut, Palette, Search, SunMoon, User, UserPlus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate } from 'react-router'
import { paths } from '../../lib/paths.ts'
import { logOut, useSession } from '../../lib/session.ts'
import { type SchemeChoice, useColorScheme } from '../../stores/color-scheme.ts'
import { useCommandStore } from '../../stores/commands.ts'
import { usePreferenceDialogs } from '../../stores/preference-dialogs.ts'
import { MenuItem, MenuLabel, MenuOptionGroup, MenuSeparator, PopupMenu } from '../ui/dropdown-menu.tsx'
import { showErrorToast } from '../ui/toast.ts'

/**
 * Account menu for users and visitors. Its code loads when the user clicks the button, so the menu is open from its first render.
 */
export function AccountMenu({ trigger }: { readonly trigger: ReactNode }) {
  const { t } = useTranslation()
  const { profile } = useSession()
  const navigate = useNavigate()
  const { pathname } = useLocation()
  const scheme = useColorScheme((state) => state.choice)
  const chooseScheme = useColorScheme((state) => state.choose)
  const openDialog = usePreferenceDialogs((state) => state.open)
  const openPalette = useCommandStore((state) => state.openPalette)
  const from = /^\/account\//i.test(pathname) ? undefined : pathname

  const leave = async () => {
    try {
      const url = await logOut()
      if (url === null) await navigate(paths.home.to())
      else window.location.assign(url)
    } catch (error) {
      showErrorToast(error)
    }
  }

  return (
    <PopupMenu side="right" align="end" trigger={trigger} defaultOpen>
      {profile ? (
        <>
          <MenuLabel>
            <bdi>{profile.userName}</bdi> · {t(`role.${profile.role}`)}
          </MenuLabel>
          <MenuItem icon={<User aria-hidden />} to={paths.profile.to()}>
            {t('nav.profile')}
          </MenuItem>
          <MenuItem icon={<IdCard aria-hidden />} to={paths.player.to(profile.userId)}>
            {t('nav.publicPage')}
          </MenuItem>
        </>
      ) : (
        <>
          <MenuItem icon={<LogIn aria-hidden />} to={paths.login.to(from)}>
            {t('action.logIn')}
          </MenuItem>
          <MenuItem icon={<UserPlus aria-hidden />} to={paths.register.to(from)}>
            {t('action.register')}
          </MenuItem>
        </>
      )}
      <MenuItem icon={<Search aria-hidden />} end={<kbd>Ctrl K</kbd>} onSelect={() => openPalette(true)}>
        {t('nav.search')}
      </MenuItem>
      <MenuSeparator />
      <MenuItem icon={<Languages aria-hidden />} onSelect={() => openDialog('language')}>
        {t('language.label')}
      </MenuItem>
      <MenuItem icon={<Bell aria-hidden />} onSelect={() => openDialog('notices')}>
        {t('alerts.label')}
      </MenuItem>
      <MenuItem icon={<Palette aria-hidden />} onSelect={() => openDialog('theme')}>
        {t('theme.label')}
      </MenuItem>
      <MenuSeparator />
      <MenuLabel>
        <span className="row gap-2">
          <SunMoon aria-hidden />
          {t('scheme.label')}
        </span>
      </MenuLabel>
      <MenuOptionGroup<SchemeChoice>
        value={scheme}
        onValueChange={chooseScheme}
        options={[
          { value: 'dark', label: t('scheme.dark') },
          { value: 'light', label: t('scheme.light') },
          { value: 'auto', label: t('scheme.auto') },
        ]}
      />
      <MenuSeparator />
      <MenuItem icon={<Info aria-hidden />} to={paths.about.to()}>
        {t('nav.about')}
      </MenuItem>
      {profile && (
        <MenuItem icon={<LogOut aria-hidden />} onSelect={() => void leave()}>
          {t('action.logOut')}
        </MenuItem>
      )}
    </PopupMenu>
  )
}
