import type { AdminGame } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import type { WriteupEntry } from '@capstan/contract/writeups'
import { Download, FileText, SearchX, Trash2 } from 'lucide-react'
import { useEffect, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Button, ButtonLink } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { ConfirmationDialog } from '../../components/ui/dialog.tsx'
import { DownloadButton } from '../../components/ui/download-link.tsx'
import { useAction } from '../../components/ui/form.ts'
import { SearchInput } from '../../components/ui/input.tsx'
import { Pagination } from '../../components/ui/pagination.tsx'
import { EmptyState, ErrorText } from '../../components/ui/states.tsx'
import { RelativeTime, useNow } from '../../components/ui/time.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { formatDateTime } from '../../lib/format.ts'
import { addressOfCall, call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { useQuerySearch } from '../../lib/query-state.ts'
import { refreshCall } from '../../lib/server-state.ts'
import { useShortcuts } from '../../lib/shortcuts.ts'
import styles from './review.module.css'
import { WriteupReader } from './writeup-reader.tsx'

/** Number of writeups per page of the list. */
const listPage = 100

type WriteupsScreenProps = Readonly<{
  game: AdminGame
  writeups: readonly WriteupEntry[]
}>

/** Writeups of a game: a list, and the open writeup beside it. The keys `j` and `k` open the next and the previous writeup. */
export function WriteupsScreen({ game, writeups }: WriteupsScreenProps) {
  const { t } = useTranslation('admin-review')
  const { typed: search, setTyped: setSearch } = useQuerySearch()
  const [openId, setOpenId] = useState(writeups[0]?.id)
  const [asks, setAsks] = useState(false)
  const now = useNow(60_000, writeups.length === 0)
  const list = useRef<HTMLUListElement>(null)
  const text = search.trim().toLowerCase()
  const shown = writeups.filter(({ team }) => (team.name ?? '').toLowerCase().includes(text))
  const at = Math.max(
    0,
    shown.findIndex(({ id }) => id === openId),
  )
  const open = shown[at]
  const first = Math.floor(at / listPage) * listPage
  const move = (by: -1 | 1) => setOpenId(shown[at + by]?.id ?? open?.id)
  useShortcuts({ j: () => move(1), k: () => move(-1) }, { enabled: shown.length > 0 })
  const openedId = open?.id
  useEffect(() => {
    if (openedId !== undefined) list.current?.querySelector(`[data-writeup="${openedId}"]`)?.scrollIntoView({ block: 'nearest' })
  }, [openedId])
  const remove = useAction(async () => {
    await call(operations.deleteWriteups, { params: { id: game.id }, timeoutMs: 120_000 })
    await refreshCall(operations.listWriteups, { params: { id: game.id } })
    setAsks(false)
    showToast({ tone: 'ok', title: t('writeups.deleted') })
  })
  const isAwaited = Date.parse(game.writeupDeadline) > now
  if (writeups.length === 0)
    return (
      <EmptyState
        icon={FileText}
        title={t('writeups.empty')}
        actions={
          !game.writeupRequired && (
            <ButtonLink to={paths.adminGameInfo.to(game.id, 'writeupRequired')}>{t('writeups.ask')}</ButtonLink>
          )
        }
      >
        {game.writeupRequired
          ? isAwaited && t('writeups.emptyText', { at: formatDateTime(game.writeupDeadline) })
          : t('writeups.emptyOff')}
      </EmptyState>
    )
  return (
    <div className="stack">
      <Toolbar
        search={<SearchInput label={t('writeups.search')} value={search} onValueChange={setSearch} />}
        end={
          <>
            <Button variant="ghost" onClick={() => setAsks(true)}>
              <Trash2 aria-hidden />
              {t('writeups.delete')}
            </Button>
            <DownloadButton variant="primary" href={addressOfCall(operations.downloadWriteups, { params: { id: game.id } })}>
              <Download aria-hidden />
              {t('writeups.downloadAll')}
            </DownloadButton>
          </>
        }
      >
        <span className="small muted">{t('writeups.count', { count: writeups.length })}</span>
      </Toolbar>
      {shown.length === 0 && (
        <EmptyState
          icon={SearchX}
          title={t('writeups.noMatch')}
          actions={<Button onClick={() => setSearch('')}>{t('showAll')}</Button>}
        />
      )}
      {open && (
        <div className={styles.writeups}>
          <div className="stack gap-2">
            <ul ref={list} className={cx('frame divided', styles.writeupList)} aria-label={t('writeups.list')}>
              {shown.slice(first, first + listPage).map((entry) => (
                <li key={entry.id}>
                  <button
                    type="button"
                    className="line gap-3 entry"
                    data-writeup={entry.id}
                    aria-current={entry.id === open.id}
                    onClick={() => setOpenId(entry.id)}
                  >
                    <Avatar team name={entry.team.name} src={entry.team.avatar} size={28} />
                    <span className="stack gap-0">
                      <strong className="truncate medium">
                        <bdi>{entry.team.name}</bdi>
                      </strong>
                      <span className="tiny muted">
                        <RelativeTime at={entry.uploadTimeUtc} />
                      </span>
                    </span>
                  </button>
                </li>
              ))}
            </ul>
            {shown.length > listPage && (
              <Pagination
                page={first / listPage}
                pageSize={listPage}
                total={shown.length}
                itemsShown={Math.min(listPage, shown.length - first)}
                onPageChange={(page) => setOpenId(shown[page * listPage]?.id)}
              />
            )}
          </div>
          <WriteupReader key={open.id} entry={open} number={at + 1} count={shown.length} onMove={move} />
        </div>
      )}
      <ConfirmationDialog
        open={asks}
        onOpenChange={(next) => {
          remove.reset()
          setAsks(next)
        }}
        title={t('writeups.deleteQuestion', { count: writeups.length })}
        description={t('writeups.deleteText')}
        confirm={t('writeups.deleteConfirm', { count: writeups.length })}
        danger
        typeToConfirm={game.title}
        busy={remove.busy}
        error={remove.error === undefined ? undefined : <ErrorText error={remove.error} />}
        onConfirm={() => void remove.run()}
      />
    </div>
  )
}
