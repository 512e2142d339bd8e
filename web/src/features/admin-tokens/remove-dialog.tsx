import type { ApiToken } from '@capstan/contract/tokens'
import { useTranslation } from 'react-i18next'
import { DeleteDialog } from '../../components/ui/delete-dialog.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { removeToken } from './token-changes.ts'

type RemoveTokenDialogProps = Readonly<{
  token: ApiToken
  onClose: () => void
}>

export function RemoveTokenDialog({ token, onClose }: RemoveTokenDialogProps) {
  const { t } = useTranslation('admin-tokens')
  const { name } = token
  const remove = async () => {
    await removeToken(token)
    showToast({ tone: 'ok', title: t('removed', { name }) })
    onClose()
  }
  return (
    <DeleteDialog
      title={t('removeTitle', { name })}
      description={t('removeText')}
      confirm={t('removeConfirm')}
      onDelete={remove}
      onClose={onClose}
    />
  )
}
