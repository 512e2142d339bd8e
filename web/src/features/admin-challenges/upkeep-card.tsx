import type { ChallengeEdit } from '@capstan/contract/challenges'
import { operations } from '@capstan/contract/operations'
import { RefreshCw, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { Alert } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { DeleteDialog } from '../../components/ui/delete-dialog.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { toast } from '../../components/ui/toast.ts'
import { boardAddress } from '../../lib/game.ts'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { refresh, refreshUnder, setCallData } from '../../lib/server-state.ts'
import styles from './editor.module.css'

interface UpkeepCardProps {
  readonly gameId: number
  readonly challenge: ChallengeEdit
  /** The challenge is deleted: drops what was typed. */
  readonly onDelete: () => void
}

/** Judging again and deleting. */
export function UpkeepCard({ gameId, challenge, onDelete }: UpkeepCardProps) {
  const { t } = useTranslation('admin-challenges')
  const navigate = useNavigate()
  const params = { id: gameId, cid: challenge.id }
  const [report, setReport] = useState<{ total: number; changed: number; accepted: number }>()
  const [asks, setAsks] = useState(false)
  const recalculate = useAction(async () => {
    setReport(undefined)
    setReport(await call(operations.recalculateSubmissions, { params, timeoutMs: 300_000 }))
    await Promise.all([refresh(operations.adminGetChallenge, { params }), refreshUnder(boardAddress(gameId))])
  })
  const remove = async () => {
    await call(operations.deleteChallenge, { params, timeoutMs: 120_000 })
    onDelete()
    await setCallData([operations.adminListChallenges, { params: { id: gameId } }], (known) =>
      known?.filter(({ id }) => id !== challenge.id),
    )
    await navigate(paths.adminGameChallenges.to(gameId), { replace: true })
    toast({ tone: 'ok', title: t('upkeep.deleted', { title: challenge.title }) })
  }
  return (
    <Card title={t('card.upkeep')}>
      <div className={styles.upkeep}>
        <div>
          <span className="small muted">{t('upkeep.recalculateText')}</span>
          <Button busy={recalculate.busy} onClick={() => void recalculate.run()}>
            <RefreshCw aria-hidden />
            {t('upkeep.recalculate')}
          </Button>
        </div>
        {report && <Alert tone="ok" title={t('upkeep.report', report)} />}
        {recalculate.error !== undefined && (
          <FieldError>
            <ErrorText error={recalculate.error} />
          </FieldError>
        )}
        <div>
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
