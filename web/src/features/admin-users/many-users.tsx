import type { AdminUser } from '@capstan/contract/admin'
import type { Role } from '@capstan/contract/common'
import { operations } from '@capstan/contract/operations'
import { roles } from '@capstan/contract/roles'
import { Ban, ChevronUp, CircleCheck, Trash2 } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ManyDialog } from '../../components/editing/many-dialog.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Menu, MenuItem, MenuLabel, MenuSeparator } from '../../components/ui/dropdown-menu.tsx'
import { call } from '../../lib/http.ts'
import { refreshUsers } from './user-changes.ts'

export type ManyUsers = 'activate' | 'delete' | Role

export function ManyUsersMenu({ onChoose }: { readonly onChoose: (many: ManyUsers) => void }) {
  const { t } = useTranslation(['admin-users', 'common'])
  return (
    <Menu
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
    </Menu>
  )
}

type ManyUsersDialogProps = Readonly<{
  users: readonly AdminUser[]
  many: ManyUsers
  onClose: (done: readonly AdminUser[]) => void
}>

export function ManyUsersDialog({ users, many, onClose }: ManyUsersDialogProps) {
  const { t } = useTranslation(['admin-users', 'common'])
  const isBan = many === 'Banned'
  const label = (count: number) => {
    if (many === 'activate') return t('manyActivate', { count })
    if (many === 'delete') return t('manyDelete', { count })
    return isBan ? t('manyBan', { count }) : t('manyRole', { count, role: t(`common:role.${many}`) })
  }
  const act = ({ id }: AdminUser) => {
    if (many === 'delete') return call(operations.deleteUser, { params: { id } })
    const body = many === 'activate' ? { emailConfirmed: true } : { role: many }
    return call(operations.updateUser, { params: { id }, body })
  }
  return (
    <ManyDialog
      items={users}
      keyOf={({ id }) => id}
      nameOf={({ userName, id }) => userName ?? id}
      label={label}
      description={many === 'delete' ? t('deleteText') : isBan ? t('banText') : t('manyText')}
      danger={many === 'delete' || isBan}
      act={act}
      onTried={refreshUsers}
      onClose={onClose}
    />
  )
}
