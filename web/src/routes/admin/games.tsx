import { operations } from '@capstan/contract/operations'
import { FilterX, Flag, Plus } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { Page } from '../../components/layout/page.tsx'
import { Button } from '../../components/ui/button.tsx'
import { SearchInput } from '../../components/ui/input.tsx'
import { Pagination } from '../../components/ui/pagination.tsx'
import { EmptyState, ErrorState } from '../../components/ui/states.tsx'
import { TableSkeleton } from '../../components/ui/table-skeleton.tsx'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { CreateDialog } from '../../features/admin-games/create-dialog.tsx'
import { GameTable } from '../../features/admin-games/game-table.tsx'
import { formatNumber } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import { useQueryPage } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'

const pageSize = 30

export function Route() {
  const { t } = useTranslation('admin-games')
  const navigate = useNavigate()
  const { page, setPage } = useQueryPage()
  const [typed, setTyped] = useState('')
  const [isCreating, setIsCreating] = useState(false)
  const { data, error, mutate } = useCall(
    operations.adminListGames,
    { query: { count: pageSize, skip: page * pageSize } },
    { keepPreviousData: true },
  )
  const wanted = typed.trim().toLocaleLowerCase()
  const shown = data?.data.filter(({ id, title }) => String(id) === wanted || title.toLocaleLowerCase().includes(wanted))
  const create = (
    <Button variant="primary" onClick={() => setIsCreating(true)}>
      <Plus aria-hidden />
      {t('new')}
    </Button>
  )
  return (
    <Page title={t('title')} hideTitle>
      {data?.total !== 0 && (
        <Toolbar
          search={<SearchInput label={t('search')} placeholder={t('searchHint')} value={typed} onValueChange={setTyped} />}
          end={
            data && (
              <>
                <span className="small muted number">{t('count', { count: data.total, number: formatNumber(data.total) })}</span>
                {create}
              </>
            )
          }
        />
      )}
      {!data && !error && <TableSkeleton rows={5} columns={['70%', '64px', '60%', '80%', '40px']} />}
      {!data && error && <ErrorState error={error} onRetry={() => mutate()} />}
      {data?.total === 0 && (
        <EmptyState icon={Flag} title={t('emptyTitle')} actions={create}>
          {t('emptyText')}
        </EmptyState>
      )}
      {data && data.total > 0 && shown?.length === 0 && (
        <EmptyState icon={FilterX} title={t('noneTitle')} actions={<Button onClick={() => setTyped('')}>{t('clear')}</Button>}>
          {t('noneText')}
        </EmptyState>
      )}
      {data && shown && shown.length > 0 && (
        <div className="stack">
          <GameTable games={shown} />
          {data.total > pageSize && (
            <Pagination page={page} pageSize={pageSize} total={data.total} itemsShown={data.data.length} onPageChange={setPage} />
          )}
        </div>
      )}
      {isCreating && (
        <CreateDialog onClose={() => setIsCreating(false)} onCreated={(game) => void navigate(paths.adminGameInfo.to(game.id))} />
      )}
    </Page>
  )
}
