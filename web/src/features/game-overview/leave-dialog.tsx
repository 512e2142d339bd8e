import type { GameDetail } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { ConfirmationDialog } from '../../components/ui/dialog.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refreshCallsWithPrefix } from '../../lib/server-state.ts'

export function LeaveGameDialog({ game, onClose }: Readonly<{ game: GameDetail; onClose: () => void }>) {
  const { t } = useTranslation('joining')
  const leave = useAction(async () => {
    await call(operations.leaveGame, { params: { id: game.id } })
    await refreshCallsWithPrefix(`/api/game/${game.id}`)
    showToast({ tone: 'ok', title: t('leave.done', { game: game.title }) })
    onClose()
  })
  return (
    <ConfirmationDialog
      open
      danger
      onOpenChange={onClose}
      title={t('leave.title', { game: game.title })}
      description={t('leave.text')}
      confirm={t('leave.confirm')}
      busy={leave.busy}
      error={leave.error === undefined ? undefined : <ErrorText error={leave.error} />}
      onConfirm={() => void leave.run()}
    />
  )
}
