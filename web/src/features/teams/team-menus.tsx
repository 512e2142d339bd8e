import { Crown, Trash2, UserMinus } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { MenuItem, PopupMenu } from '../../components/ui/dropdown-menu.tsx'

type TeamMenuProps = Readonly<{
  trigger: ReactNode
  onDisband: () => void
}>

/**
 * Menu with rarely used actions of a captain. Its code loads when the user clicks the button, so the menu is open from its first
 * render.
 */
export function TeamMenu({ trigger, onDisband }: TeamMenuProps) {
  const { t } = useTranslation('teams')
  return (
    <PopupMenu trigger={trigger} defaultOpen>
      <MenuItem danger icon={<Trash2 />} onSelect={onDisband}>
        {t('disband.action')}
      </MenuItem>
    </PopupMenu>
  )
}

type MemberMenuProps = Readonly<{
  trigger: ReactNode
  onTransfer: () => void
  onKick: () => void
}>

/** Menu with a captain's actions on another member. */
export function MemberMenu({ trigger, onTransfer, onKick }: MemberMenuProps) {
  const { t } = useTranslation('teams')
  return (
    <PopupMenu trigger={trigger} defaultOpen>
      <MenuItem icon={<Crown />} onSelect={onTransfer}>
        {t('transfer.action')}
      </MenuItem>
      <MenuItem danger icon={<UserMinus />} onSelect={onKick}>
        {t('kick.action')}
      </MenuItem>
    </PopupMenu>
  )
}
