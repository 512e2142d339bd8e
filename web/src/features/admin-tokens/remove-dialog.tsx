import type { ApiToken } from '@capstan/contract/tokens'
import { useTranslation } from 'react-i18next'
import { AlertDialog } from '../../components/ui/dialog.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { toast } from '../../components/ui/toast.ts'
import { removeToken } from './token-changes.ts'

type RemoveTokenDialogProps = Readonly<{
  token: ApiToken
  onClose: () => void
}>

export function RemoveTokenDialog({ token, onClose }: RemoveTokenDialogProps) {
  const { t } = useTranslation('admin-tokens')
  const { name } = token
  const remove = useAction(async () => {
    await removeToken(token)
    toast({ tone: 'ok', title: t('removed', { name }) })
    onClose()
  })
  return (
    <AlertDialog
      open
      onOpenChange={onClose}
      title={t('removeTitle', { name })}
      description={t('removeText')}
      confirm={t('removeConfirm')}
      danger
      busy={remove.busy}
      error={remove.error === undefined ? undefined : <ErrorText error={remove.error} />}
      onConfirm={() => void remove.run()}
    />
  )
}
