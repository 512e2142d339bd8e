import { operations } from '@capstan/contract/operations'
import { RefreshCw } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { addressOfBoard } from '../../lib/game.ts'
import { call } from '../../lib/http.ts'
import { refreshCall, refreshCallsWithPrefix } from '../../lib/server-state.ts'

/** Card with a button that recounts the solvers of every challenge. */
export function RecountSolversCard({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation('admin-game')
  const params = { id: gameId }
  const recount = useAction(async () => {
    await call(operations.recountSolves, { params })
    await Promise.all([refreshCall(operations.adminListChallenges, { params }), refreshCallsWithPrefix(addressOfBoard(gameId))])
    showToast({ tone: 'ok', title: t('recount.done') })
  })
  return (
    <Card title={t('recount.title')}>
      <div className="stack gap-2">
        <p className="small muted">{t('recount.hint')}</p>
        <div className="row">
          <Button busy={recount.busy} onClick={() => void recount.run()}>
            <RefreshCw aria-hidden />
            {t('recount.action')}
          </Button>
        </div>
        {recount.error !== undefined && (
          <FieldError>
            <ErrorText error={recount.error} />
          </FieldError>
        )}
      </div>
    </Card>
  )
}
