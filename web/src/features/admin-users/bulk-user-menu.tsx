import type { AdminUser } from '@capstan/contract/admin'
import type { Role } from '@capstan/contract/common'
import { operations } from '@capstan/contract/operations'
import { roles } from '@capstan/contract/roles'
import { Ban, ChevronUp, CircleCheck, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { BulkActionDialog } from '../../components/editing/bulk-action-dialog.tsx'
import { Button } from '../../components/ui/button.tsx'
import { MenuItem, MenuLabel, MenuSeparator, PopupMenu } from '../../components/ui/dropdown-menu.tsx'
import { call } from '../../lib/http.ts'
import { refreshUsers } from './user-changes.ts'

export type BulkUserAction = 'activate' | 'delete' | Role

export function BulkUserMenu({ onChoose }: { readonly onChoose: (action: BulkUserAction) => void }) {
  const { t } = useTranslation(['admin-users', 'common'])
  return (
    <PopupMenu
      side="top"
      trigger={
        <Button>
          {t('column.actions')}
          <ChevronUp aria-hidden />
        </Button>
      }
    >
      <MenuItem icon={<CircleCheck />} onSelect={() => onChoose('activate')}>
        {t('activate')}
      </MenuItem>
      <MenuSeparator />
      <MenuLabel>{t('changeRole')}</MenuLabel>
      {roles
        .filter((role) => role !== 'Banned')
        .map((role) => (
          <MenuItem key={role} onSelect={() => onChoose(role)}>
            {t(`common:role.${role}`)}
          </MenuItem>
        ))}
      <MenuSeparator />
      <MenuItem icon={<Ban />} danger onSelect={() => onChoose('Banned')}>
        {t('ban')}
      </MenuItem>
      <MenuItem icon={<Trash2 />} danger onSelect={() => onChoose('delete')}>
        {t('delete')}
      </MenuItem>
    </PopupMenu>
  )
}

type BulkUserDialogProps = Readonly<{
  users: readonly AdminUser[]
  action: BulkUserAction
  onClose: (done: readonly AdminUser[]) => void
}>

export function BulkUserDialog({ users, action, onClose }: BulkUserDialogProps) {
  const { t } = useTranslation(['admin-users', 'common'])
  const isBan = action === 'Banned'
  const label = (count: number) => {
    if (action === 'activate') return t('manyActivate', { count })
    if (action === 'delete') return t('manyDelete', { count })
    return isBan ? t('manyBan', { count }) : t('manyRole', { count, role: t(`common:role.${action}`) })
  }
  const act = ({ id }: AdminUser) => {
    if (action === 'delete') return call(operations.deleteUser, { params: { id } })
    const body = action === 'activate' ? { emailConfirmed: true } : { role: action }
    return call(operations.updateUser, { params: { id }, body })
  }
  return (
    <BulkActionDialog
      items={users}
      keyOf={({ id }) => id}
      nameOf={({ userName, id }) => userName ?? id}
      label={label}
      description={action === 'delete' ? t('deleteText') : isBan ? t('banText') : t('manyText')}
      danger={action === 'delete' || isBan}
      act={act}
      onTried={refreshUsers}
      onClose={onClose}
    />
  )
}
