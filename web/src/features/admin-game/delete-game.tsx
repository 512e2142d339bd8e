import type { AdminGame } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { AlertDialog } from '../../components/ui/dialog.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { toast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { refreshUnder } from '../../lib/server-state.ts'

interface DeleteGameProps {
  readonly game: AdminGame
  /** It is gone: drops what was typed. */
  readonly onDelete: () => void
}

export function DeleteGame({ game, onDelete }: DeleteGameProps) {
  const { t } = useTranslation('admin-game')
  const navigate = useNavigate()
  const [open, setOpen] = useState(false)
  const remove = useAction(async () => {
    await call(operations.deleteGame, { params: { id: game.id }, timeoutMs: 180_000 })
    onDelete()
    await navigate(paths.adminGames.to(), { replace: true })
    toast({ tone: 'ok', title: t('delete.done', { title: game.title }) })
    await Promise.all([refreshUnder(operations.adminListGames.path), refreshUnder(operations.listGames.path)])
  })
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
      <AlertDialog
        open={open}
        onOpenChange={(next) => {
          remove.reset()
          setOpen(next)
        }}
        title={t('delete.question', { title: game.title })}
        description={t('delete.text')}
        confirm={t('delete.action')}
        danger
        typeToConfirm={game.title}
        busy={remove.busy}
        error={remove.error === undefined ? undefined : <ErrorText error={remove.error} />}
        onConfirm={() => void remove.run()}
      />
    </Card>
  )
}
