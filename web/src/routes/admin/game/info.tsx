import { operations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { PageLayout } from '../../../components/layout/page.tsx'
import { ErrorState } from '../../../components/ui/states.tsx'
import { GameSettings } from '../../../features/admin-game/game-settings.tsx'
import { SettingsSkeleton } from '../../../features/admin-game/settings-skeleton.tsx'
import { useGameId } from '../../../lib/game.ts'
import { useCall } from '../../../lib/server-state.ts'

export function Route() {
  const { t } = useTranslation('admin-game')
  const id = useGameId()
  const { data: game, error, mutate } = useCall(operations.adminGetGame, { params: { id } })
  return (
    <PageLayout title={t('title')} hideTitle>
      {!game && (error ? <ErrorState error={error} onRetry={() => mutate()} /> : <SettingsSkeleton />)}
      {game && <GameSettings key={game.id} game={game} />}
    </PageLayout>
  )
}
