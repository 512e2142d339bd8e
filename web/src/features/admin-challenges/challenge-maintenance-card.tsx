import type { FullChallenge } from '@capstan/contract/challenge'
import { operations } from '@capstan/contract/operations'
import { RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { DeleteDialog } from '../../components/ui/delete-dialog.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { setCallData } from '../../lib/server-state.ts'
import type { Rejudging } from './use-rejudging.ts'

type ChallengeMaintenanceCardProps = Readonly<{
  gameId: number
  editedChallenge: FullChallenge
  rejudging: Rejudging
  onDelete: () => void
}>

export function ChallengeMaintenanceCard({
  gameId,
  editedChallenge: { id: cid, challenge },
  rejudging,
  onDelete,
}: ChallengeMaintenanceCardProps) {
  const { t } = useTranslation('admin-challenges')
  const navigate = useNavigate()
  const params = { id: gameId, cid }
  const [asks, setAsks] = useState(false)
  const remove = async () => {
    await call(operations.deleteChallenge, { params, timeoutMs: 120_000 })
    onDelete()
    await setCallData([operations.adminListChallenges, { params: { id: gameId } }], (known) =>
      known?.filter(({ id }) => id !== cid),
    )
    await navigate(paths.adminGameChallenges.to(gameId), { replace: true })
    showToast({ tone: 'ok', title: t('upkeep.deleted', { title: challenge.title }) })
  }
  return (
    <Card title={t('card.upkeep')}>
      <div className="stack">
        <div className="line gap-4 row-between">
          <span className="small muted">{t('upkeep.recalculateText')}</span>
          <Button busy={rejudging.look.busy} onClick={() => void rejudging.look.run(false)}>
            <RefreshCw aria-hidden />
            {t('upkeep.recalculate')}
          </Button>
        </div>
        <div className="line gap-4 row-between ruled">
          <span className="small muted">{t('upkeep.deleteText')}</span>
          <Button onClick={() => setAsks(true)}>
            <Trash2 aria-hidden />
            {t('upkeep.delete')}
          </Button>
        </div>
      </div>
      {asks && (
        <DeleteDialog
          name={challenge.title}
          title={t('upkeep.deleteQuestion', { title: challenge.title })}
          description={t('upkeep.deleteText')}
          confirm={t('upkeep.delete')}
          onDelete={remove}
          onClose={() => setAsks(false)}
        />
      )}
    </Card>
  )
}
