import type { AdminGame } from '@capstan/contract/games'
import { Archive } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { createLazyComponent } from '../../components/ui/late.tsx'
import { useNow } from '../../components/ui/time.tsx'

const ArchiveDialog = createLazyComponent({ load: () => import('./archive-dialog.tsx').then((file) => file.ArchiveDialog) })

/** Card with a button that downloads a finished game as web pages. */
export function ArchiveCard({ game }: { readonly game: AdminGame }) {
  const { t } = useTranslation('admin-game')
  const now = useNow()
  const [isOpen, setOpen] = useState(false)
  const isOver = Date.parse(game.end) < now
  return (
    <Card title={t('archive.title')}>
      <div className="stack gap-2">
        <p className="small muted">{isOver ? t('archive.hint') : t('archive.early')}</p>
        <div className="row">
          <Button disabled={!isOver} onClick={() => setOpen(true)}>
            <Archive aria-hidden />
            {t('archive.action')}
          </Button>
        </div>
      </div>
      {isOpen && <ArchiveDialog gameId={game.id} onClose={() => setOpen(false)} />}
    </Card>
  )
}
