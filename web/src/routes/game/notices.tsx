import type { GameDetail, GameNotice } from '@capstan/contract/games'
import { PageLimits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import { Megaphone, Timer } from 'lucide-react'
import { useMemo, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { findChallengeOfNotice } from '../../components/layout/notice-challenge.ts'
import { PageLayout } from '../../components/layout/page.tsx'
import { useHasTeamPage } from '../../components/team-link.tsx'
import { bloodPlace } from '../../components/ui/blood-shape.ts'
import { Button } from '../../components/ui/button.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../components/ui/states.tsx'
import { SegmentedControl } from '../../components/ui/tabs.tsx'
import { Countdown, useNow } from '../../components/ui/time.tsx'
import { filterNotices, type NoticeFilter, noticeFilters, parseNoticeFilter } from '../../features/notices/notice-kinds.ts'
import { type AddressesOf, NoticeList } from '../../features/notices/notice-list.tsx'
import styles from '../../features/notices/notices.module.css'
import { UnreadNotices } from '../../features/notices/unread-notices.tsx'
import { phaseOfGame, useGame, useGameId, usePlayerBoard, useScoreboard } from '../../lib/game.ts'
import { useHub } from '../../lib/live.ts'
import { paths } from '../../lib/paths.ts'
import { useQueryState } from '../../lib/query-state.ts'
import { useHaveAllReadsEnded } from '../../lib/quiet.ts'
import { refreshCall, useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { listUnreadNotices, useReadNoticeIds } from '../../stores/read-notices.ts'

export function Route() {
  const { data: game } = useGame(useGameId())
  // The layout renders this page only after the game has loaded.
  return game ? <Notices game={game} /> : null
}

function Notices({ game }: { readonly game: GameDetail }) {
  const { t } = useTranslation(['notices', 'common'])
  const now = useNow()
  const title = t('notices:titleOf', { game: game.title })
  if (phaseOfGame(game, now) === 'upcoming')
    return (
      <PageLayout title={title} hideTitle width="narrow">
        <EmptyState icon={Timer} title={t('notices:before.title')}>
          {t('notices:before.text')} {t('common:game.startsIn')} <Countdown until={game.start} />.
        </EmptyState>
      </PageLayout>
    )
  return <OpenNotices game={game} title={title} />
}

function OpenNotices({ game, title }: Readonly<{ game: GameDetail; title: string }>) {
  const { id } = game
  const { t } = useTranslation('notices')
  const { get, set } = useQueryState()
  const [all, setAll] = useState(false)
  const first = useCall(operations.listNotices, { params: { id } })
  const rest = useCall(operations.listNotices, all ? { params: { id }, query: { count: PageLimits.max } } : null)
  const renew = () => void (all && refreshCall(operations.listNotices, { params: { id }, query: { count: PageLimits.max } }))
  useHub('user', id, { notice: renew, reconnected: renew })
  const notices = rest.data ?? first.data
  const error = first.error ?? rest.error
  const filter = parseNoticeFilter(get('show'))
  /**
   * Highest id of the notices in the first response. This response comes from the cache or the server. Later notices are marked as
   * new.
   */
  const newestBefore = useRef<number>(undefined)
  if (notices) newestBefore.current ??= Math.max(0, ...notices.map((notice) => notice.id))
  const { data: board } = usePlayerBoard(game, useNow(10_000))
  const teamTo = useTeamPages(id, notices)
  const addressesOf: AddressesOf = (notice) => {
    const challengeId = findChallengeOfNotice(notice, board)
    return { challengeTo: challengeId === undefined ? undefined : paths.challenges.to(id, challengeId), teamTo: teamTo(notice) }
  }
  const { profile } = useSession()
  const userId = profile?.userId ?? ''
  const readIds = useReadNoticeIds(userId)
  const heading = useRef<HTMLHeadingElement>(null)
  const pinned = filterNotices(listUnreadNotices(notices ?? [], readIds), 'all')
  const isPinning = pinned.length > 0 && (filter === 'all' || filter === 'game')
  const others = filterNotices(notices ?? [], filter).filter((notice) => !isPinning || !pinned.includes(notice))
  return (
    <PageLayout title={title} headingBelow width="narrow">
      <div className="page-head">
        <h1 ref={heading} tabIndex={-1}>
          {t('title')}
        </h1>
        <div className={styles.filter}>
          <SegmentedControl
            label={t('filter.label')}
            value={filter}
            onValueChange={(value) => set({ show: value === 'all' ? undefined : value })}
            options={noticeFilters.map((value) => ({ value, label: t(`filter.${value}`) }))}
          />
        </div>
      </div>
      {!notices &&
        (error ? <ErrorState title={t('failed')} error={error} onRetry={() => first.mutate()} /> : <NoticesSkeleton />)}
      {isPinning && (
        <UnreadNotices
          notices={pinned}
          newestBefore={newestBefore.current ?? 0}
          userId={userId}
          onEmptied={() => heading.current?.focus()}
        />
      )}
      {notices && (!isPinning || others.length > 0) && (
        <Shown key={filter} notices={others} newestBefore={newestBefore.current ?? 0} addressesOf={addressesOf} filter={filter} />
      )}
      {!all && first.data && first.data.length >= PageLimits.default && (
        <div className="row">
          <Button className="above-6" onClick={() => setAll(true)}>
            {t('showAll')}
          </Button>
        </div>
      )}
    </PageLayout>
  )
}

/**
 * Returns a function that returns the URL of a team's page for a notice about the team. The id of the team comes from the
 * scoreboard. The scoreboard loads after the other data.
 */
function useTeamPages(gameId: number, notices: readonly GameNotice[] | undefined) {
  const hasTeams = notices?.some(({ type }) => bloodPlace(type) !== undefined) ?? false
  const isQuiet = useHaveAllReadsEnded()
  const { data: scoreboard } = useScoreboard(hasTeams && isQuiet ? gameId : undefined, { refreshInterval: 60_000 })
  const hasPage = useHasTeamPage(gameId)
  const ids = useMemo(() => new Map(scoreboard?.items.map((team) => [team.name, team.id])), [scoreboard])
  return ({ type, values: [name = ''] }: GameNotice) => {
    const teamId = bloodPlace(type) === undefined ? undefined : ids.get(name)
    return teamId !== undefined && hasPage(teamId) ? paths.team.to(teamId) : undefined
  }
}

/** Number of notices that are shown at first, and that each click on the button adds. */
const step = 30

type ShownProps = Readonly<{
  notices: readonly GameNotice[]
  newestBefore: number
  addressesOf: AddressesOf
  filter: NoticeFilter
}>

function Shown({ notices, newestBefore, addressesOf, filter }: ShownProps) {
  const { t } = useTranslation('notices')
  const [shown, setShown] = useState(step)
  if (notices.length > 0)
    return (
      <>
        <NoticeList notices={notices.slice(0, shown)} newestBefore={newestBefore} addressesOf={addressesOf} />
        {notices.length > shown && (
          <div className="row">
            <Button className="above-6" onClick={() => setShown(shown + step)}>
              {t('more')}
            </Button>
          </div>
        )}
      </>
    )
  return (
    <EmptyState icon={Megaphone} title={filter === 'all' ? t('empty.title') : t(`emptyFilter.${filter}.title`)}>
      {filter === 'all' ? t('empty.text') : t(`emptyFilter.${filter}.text`)}
    </EmptyState>
  )
}

function NoticesSkeleton() {
  const { t } = useTranslation('notices')
  return (
    <div className="stack gap-3" role="status" aria-label={t('loading')}>
      <Skeleton width="80px" height="16px" />
      <Skeleton height="88px" />
      <Skeleton height="88px" />
      <Skeleton height="88px" />
    </div>
  )
}
