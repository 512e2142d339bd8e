import type { GameDetail } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { AlertDialog } from '../../components/ui/dialog.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { toast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refreshUnder } from '../../lib/server-state.ts'

export function LeaveDialog({ game, onClose }: { readonly game: GameDetail; readonly onClose: () => void }) {
  const { t } = useTranslation('joining')
  const leave = useAction(async () => {
    await call(operations.leaveGame, { params: { id: game.id } })
    await refreshUnder(`/api/game/${game.id}`)
    toast({ tone: 'ok', title: t('leave.done', { game: game.title }) })
    onClose()
  })
  return (
    <AlertDialog
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
