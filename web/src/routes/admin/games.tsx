import { gameOrders } from '@capstan/contract/admin'
import type { AdminGame } from '@capstan/contract/games'
import { ownOperations } from '@capstan/contract/operations'
import { FileUp, FilterX, Flag, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { OrderOnPhone } from '../../components/editing/order-on-phone.tsx'
import { Page } from '../../components/layout/page.tsx'
import { Button } from '../../components/ui/button.tsx'
import { SearchInput } from '../../components/ui/input.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { CloneDialog } from '../../features/admin-games/clone-dialog.tsx'
import { CreateDialog } from '../../features/admin-games/create-dialog.tsx'
import { GameTable } from '../../features/admin-games/game-table.tsx'
import { ImportDialog } from '../../features/admin-games/import-dialog.tsx'
import { formatNumber } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import { useQueryOrder, useQueryPage, useQuerySearch, useQueryState } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'

const pageSize = 30

export function Route() {
  const { t } = useTranslation(['admin-games', 'editing'])
  const navigate = useNavigate()
  const { page, setPage } = useQueryPage()
  const search = useQuerySearch()
  const order = useQueryOrder(gameOrders)
  const { get: getQuery, set: setQuery } = useQueryState()
  const [cloned, setCloned] = useState<AdminGame>()
  const [isCreating, setIsCreating] = useState(false)
  const [isImporting, setIsImporting] = useState(getQuery('import') === 'ctfd')
  const { data, error, mutate } = useCall(
    ownOperations.findGames,
    {
      query: {
        ...(search.settled !== '' && { hint: search.settled }),
        ...{ sort: order.by, descending: order.descending, count: pageSize, skip: page * pageSize },
      },
    },
    { keepPreviousData: true },
  )
  const isNone = data?.total === 0 && search.settled === ''
  const clear = () => {
    search.setTyped('')
    setQuery({ q: undefined, page: undefined })
  }
  const create = (
    <>
      <Button onClick={() => setIsImporting(true)}>
        <FileUp aria-hidden />
        {t('import.open')}
      </Button>
      <Button variant="primary" onClick={() => setIsCreating(true)}>
        <Plus aria-hidden />
        {t('new')}
      </Button>
    </>
  )
  return (
    <Page title={t('title')} hideTitle>
      {!isNone && (
        <Toolbar
          search={
            <SearchInput label={t('search')} placeholder={t('searchHint')} value={search.typed} onValueChange={search.setTyped} />
          }
          end={
            data && (
              <>
                <span className="small muted number">{t('count', { count: data.total, number: formatNumber(data.total) })}</span>
                {create}
              </>
            )
          }
        >
          <OrderOnPhone
            order={order}
            options={[
              ['id', t('newest')],
              ['title', t('column.game')],
              ['start', t('column.time')],
              ['end', t('column.state')],
            ]}
          />
        </Toolbar>
      )}
      <GameTable
        rows={data?.data}
        order={order}
        onClone={setCloned}
        error={error}
        onRetry={() => mutate()}
        empty={
          isNone ? (
            <EmptyState icon={Flag} title={t('emptyTitle')} actions={create}>
              {t('emptyText')}
            </EmptyState>
          ) : (
            <EmptyState icon={FilterX} title={t('noneTitle')} actions={<Button onClick={clear}>{t('clear')}</Button>}>
              {t('noneText')}
            </EmptyState>
          )
        }
        paging={
          data && data.total > pageSize
            ? { page, pageSize, total: data.total, itemsShown: data.data.length, onPageChange: setPage }
            : undefined
        }
      />
      {cloned && (
        <CloneDialog
          game={cloned}
          onClose={() => setCloned(undefined)}
          onCloned={(game) => void navigate(paths.adminGameInfo.to(game.id))}
        />
      )}
      {isCreating && (
        <CreateDialog onClose={() => setIsCreating(false)} onCreated={(game) => void navigate(paths.adminGameInfo.to(game.id))} />
      )}
      {isImporting && (
        <ImportDialog onClose={() => setIsImporting(false)} onImported={(id) => navigate(paths.adminGameInfo.to(id))} />
      )}
    </Page>
  )
}
