import type { AdminGame } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { DeleteDialog } from '../../components/ui/delete-dialog.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { refreshCall, refreshCallsWithPrefix } from '../../lib/server-state.ts'

type DeleteGameProps = Readonly<{
  game: AdminGame
  /** Clears unsaved input of the page after the game is deleted. */
  onDelete: () => void
}>

export function DeleteGame({ game, onDelete }: DeleteGameProps) {
  const { t } = useTranslation('admin-game')
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  const remove = async () => {
    await call(operations.deleteGame, { params: { id: game.id }, timeoutMs: 180_000 })
    onDelete()
    await navigate(paths.adminGames.to(), { replace: true })
    showToast({ tone: 'ok', title: t('delete.done', { title: game.title }) })
    await Promise.all([
      refreshCallsWithPrefix(operations.adminListGames.path),
      refreshCall(ownOperations.findGames),
      refreshCallsWithPrefix(operations.listGames.path),
    ])
  }
  return (
    <Card title={t('delete.title')}>
      <div className="stack gap-2">
        <p className="small muted">{t('delete.text')}</p>
        <div className="row">
          <Button onClick={() => setOpen(true)}>
            <Trash2 aria-hidden />
            {t('delete.action')}
          </Button>
        </div>
      </div>
      {open && (
        <DeleteDialog
          name={game.title}
          title={t('delete.question', { title: game.title })}
          description={t('delete.text')}
          confirm={t('delete.action')}
          onDelete={remove}
          onClose={() => setOpen(false)}
        />
      )}
    </Card>
  )
}
