import type { AdminUser } from '@capstan/contract/admin'
import { operations, ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { DeleteDialog } from '../../components/ui/delete-dialog.tsx'
import { ConfirmationDialog, Dialog } from '../../components/ui/dialog.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { showErrorToast, showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { changeUser, refreshUsers } from './user-changes.ts'

type UserDialogProps = Readonly<{
  user: AdminUser
  onClose: () => void
}>

function failureOf(error: unknown) {
  return error === undefined ? undefined : <ErrorText error={error} />
}

export function BanDialog({ user, onClose }: UserDialogProps) {
  const { t } = useTranslation(['admin-users', 'common'])
  const name = user.userName ?? ''
  const ban = useAction(async () => {
    await changeUser(user, { role: 'Banned' })
    showToast({
      tone: 'ok',
      title: t('admin-users:banned', { name }),
      action: {
        label: t('common:action.undo'),
        run: () => void changeUser(user, { role: user.role }).catch(showErrorToast),
      },
    })
    onClose()
  })
  return (
    <ConfirmationDialog
      open
      onOpenChange={onClose}
      title={t('admin-users:banTitle', { name })}
      description={t('admin-users:banText')}
      confirm={t('admin-users:banConfirm', { name })}
      danger
      busy={ban.busy}
      error={failureOf(ban.error)}
      onConfirm={() => void ban.run()}
    />
  )
}

export function EndSessionsDialog({ user, onClose }: UserDialogProps) {
  const { t } = useTranslation('admin-users')
  const name = user.userName ?? ''
  const end = useAction(async () => {
    await call(ownOperations.endUserSessions, { params: { id: user.id } })
    showToast({ tone: 'ok', title: t('sessionsEnded', { name }) })
    onClose()
  })
  return (
    <ConfirmationDialog
      open
      onOpenChange={onClose}
      title={t('endSessionsTitle', { name })}
      description={t('endSessionsText')}
      confirm={t('endSessionsConfirm')}
      busy={end.busy}
      error={failureOf(end.error)}
      onConfirm={() => void end.run()}
    />
  )
}

export function RemoveFactorDialog({ user, onClose }: UserDialogProps) {
  const { t } = useTranslation('admin-users')
  const name = user.userName ?? ''
  const remove = useAction(async () => {
    await call(ownOperations.removeUserSecondFactor, { params: { id: user.id } })
    showToast({ tone: 'ok', title: t('factorRemoved', { name }) })
    onClose()
  })
  return (
    <ConfirmationDialog
      open
      onOpenChange={onClose}
      title={t('removeFactorTitle', { name })}
      description={t('removeFactorText')}
      confirm={t('removeFactorConfirm')}
      danger
      busy={remove.busy}
      error={failureOf(remove.error)}
      onConfirm={() => void remove.run()}
    />
  )
}

export function DeleteUserDialog({ user, onClose }: UserDialogProps) {
  const { t } = useTranslation('admin-users')
  const name = user.userName ?? ''
  const remove = async () => {
    await call(operations.deleteUser, { params: { id: user.id } })
    await refreshUsers()
    showToast({ tone: 'ok', title: t('deleted', { name }) })
    onClose()
  }
  return (
    <DeleteDialog
      name={name}
      title={t('deleteTitle', { name })}
      description={t('deleteText')}
      confirm={t('deleteConfirm', { name })}
      onDelete={remove}
      onClose={onClose}
    />
  )
}

/** Resets a password and shows the new one once, because the server cannot show it again. */
export function ResetPasswordDialog({ user, onClose }: UserDialogProps) {
  const { t } = useTranslation('admin-users')
  const name = user.userName ?? ''
  const [password, setPassword] = useState<string>()
  const reset = useAction(async () => {
    setPassword(await call(operations.resetUserPassword, { params: { id: user.id } }))
  })
  if (password === undefined)
    return (
      <ConfirmationDialog
        open
        onOpenChange={onClose}
        title={t('resetTitle', { name })}
        description={t('resetText')}
        confirm={t('resetConfirm')}
        busy={reset.busy}
        error={failureOf(reset.error)}
        onConfirm={() => void reset.run()}
      />
    )
  return (
    <Dialog
      open
      onOpenChange={onClose}
      keepOpenOutside
      title={t('newPasswordTitle', { name })}
      description={t('newPasswordText')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('newPasswordDone')}
        </Button>
      }
    >
      <div className="row row-between well">
        <output aria-label={t('newPassword')}>{password}</output>
        <CopyButton text={password} label={t('copyPassword')} withText />
      </div>
    </Dialog>
  )
}
