import { gameOrders } from '@capstan/contract/admin'
import type { AdminGame } from '@capstan/contract/games'
import { ownOperations } from '@capstan/contract/operations'
import { FilterX, Flag, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { AdminList, useListQuery } from '../../components/editing/admin-list.tsx'
import { PageLayout } from '../../components/layout/page.tsx'
import { Button } from '../../components/ui/button.tsx'
import { CloneGameDialog } from '../../features/admin-games/clone-dialog.tsx'
import { CreateGameDialog } from '../../features/admin-games/create-dialog.tsx'
import { gameTable, useGameColumns } from '../../features/admin-games/game-table.tsx'
import { ImportGameDialog } from '../../features/admin-games/import-dialog.tsx'
import { ImportMenu } from '../../features/admin-games/import-menu.tsx'
import { ImportPackageDialog } from '../../features/admin-games/package-dialog.tsx'
import { formatNumber } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import { useQueryState } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'

const pageSize = 30

export function Route() {
  const { t } = useTranslation(['admin-games', 'editing'])
  const navigate = useNavigate()
  const { get: getQuery } = useQueryState()
  const [cloned, setCloned] = useState<AdminGame>()
  const [isCreating, setIsCreating] = useState(false)
  const [imported, setImported] = useState<'package' | 'ctfd' | undefined>(getQuery('import') === 'ctfd' ? 'ctfd' : undefined)
  const query = useListQuery(gameOrders, {}, pageSize)
  const read = useCall(ownOperations.findGames, { query: query.query }, { keepPreviousData: true })
  const columns = useGameColumns(setCloned)
  return (
    <PageLayout title={t('title')} hideTitle>
      <AdminList
        {...gameTable}
        {...{ read, query, columns }}
        label={t('table')}
        search={{ label: t('search'), hint: t('searchHint') }}
        count={t('count', { count: read.data?.total ?? 0, number: formatNumber(read.data?.total ?? 0) })}
        actions={
          <>
            <ImportMenu onPackage={() => setImported('package')} onCtfd={() => setImported('ctfd')} />
            <Button variant="primary" onClick={() => setIsCreating(true)}>
              <Plus aria-hidden />
              {t('new')}
            </Button>
          </>
        }
        moreOrders={[['id', t('newest')]]}
        blank={{ icon: Flag, title: t('emptyTitle'), text: t('emptyText') }}
        none={{ icon: FilterX, title: t('noneTitle'), text: t('noneText'), clear: t('clear') }}
      />
      {cloned && (
        <CloneGameDialog
          game={cloned}
          onClose={() => setCloned(undefined)}
          onCloned={(game) => void navigate(paths.adminGameInfo.to(game.id))}
        />
      )}
      {isCreating && (
        <CreateGameDialog
          onClose={() => setIsCreating(false)}
          onCreated={(game) => void navigate(paths.adminGameInfo.to(game.id))}
        />
      )}
      {imported === 'package' && (
        <ImportPackageDialog
          onClose={() => setImported(undefined)}
          onImported={(id) => void navigate(paths.adminGameInfo.to(id))}
        />
      )}
      {imported === 'ctfd' && (
        <ImportGameDialog onClose={() => setImported(undefined)} onImported={(id) => navigate(paths.adminGameInfo.to(id))} />
      )}
    </PageLayout>
  )
}
