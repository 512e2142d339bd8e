import { operations } from '@capstan/contract/operations'
import { Radar, SquareArrowOutUpRight } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Outlet, useLocation } from 'react-router'
import { PageSkeleton, RoleGate } from '../../../components/layout/access.tsx'
import { NotFoundPage } from '../../../components/layout/not-found.tsx'
import { NarrowScreenWarning, PageLayout, SectionHeader } from '../../../components/layout/page.tsx'
import { UnreadTicketsCount, useTicketRefresh } from '../../../components/layout/unread-tickets.tsx'
import { ButtonLink } from '../../../components/ui/button.tsx'
import { ErrorState } from '../../../components/ui/states.tsx'
import { LinkTabs } from '../../../components/ui/tabs.tsx'
import { GameStateBanner, PublishButton } from '../../../features/admin-game/game-state.tsx'
import { StartStepList } from '../../../features/admin-game/start-list.tsx'
import { useNumberInAddress } from '../../../lib/game.ts'
import { ApiError } from '../../../lib/http.ts'
import { paths } from '../../../lib/paths.ts'
import { useCall } from '../../../lib/server-state.ts'

export function Route() {
  const id = useNumberInAddress('id')
  if (id === undefined) return <NotFoundPage />
  return (
    <RoleGate atLeast="Admin">
      <ManagedGame id={id} />
    </RoleGate>
  )
}

function ManagedGame({ id }: { readonly id: number }) {
  const { t } = useTranslation(['admin', 'common'])
  const { pathname } = useLocation()
  const { data: game, error, mutate } = useCall(operations.adminGetGame, { params: { id } })
  useTicketRefresh(id, { team: false, organizers: true })
  if (error instanceof ApiError && error.httpStatus === 404) return <NotFoundPage />
  if (!game && error)
    return (
      <PageLayout title={t('gameNav')} hideTitle>
        <ErrorState error={error} onRetry={() => mutate()} />
      </PageLayout>
    )
  if (!game) return <PageSkeleton />
  const tabs = [
    { to: paths.adminGameInfo.to(id), label: t('info') },
    { to: paths.adminGameChallenges.to(id), label: t('challenges') },
    { to: paths.adminGameNotices.to(id), label: t('notices') },
    { to: paths.adminGameReview.to(id), label: t('review') },
    { to: paths.adminGameCorrections.to(id), label: t('corrections') },
    { to: paths.adminGameWriteups.to(id), label: t('writeups') },
    { to: paths.adminGameCertificate.to(id), label: t('certificate') },
  ]
  // False on the page of a challenge, because that page has its own header.
  const isTab = tabs.some(({ to }) => to.toLowerCase() === pathname.toLowerCase())
  return (
    <>
      <SectionHeader
        title={
          <span className="row gap-2 wrap-anywhere">
            <bdi>{game.title}</bdi>
            <GameStateBanner game={game} />
          </span>
        }
        actions={
          <span className="row gap-1">
            <ButtonLink size="small" variant="ghost" to={paths.game.to(id)}>
              <SquareArrowOutUpRight aria-hidden />
              {t('publicPage')}
            </ButtonLink>
            <ButtonLink size="small" variant="ghost" to={paths.monitor.to(id)}>
              <Radar aria-hidden />
              {t('common:game.monitor')}
              <UnreadTicketsCount gameId={id} side="organizers" />
            </ButtonLink>
            <PublishButton game={game} />
          </span>
        }
        tabs={<LinkTabs label={t('gameNav')} tabs={tabs} />}
      >
        <NarrowScreenWarning />
        {isTab && <StartStepList key={id} game={game} />}
      </SectionHeader>
      <Outlet />
    </>
  )
}
