import { operations, ownOperations } from '@capstan/contract/operations'
import { Plus, UsersRound } from 'lucide-react'
import { Suspense, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation, useNavigate, useSearchParams } from 'react-router'
import { PageLayout } from '../components/layout/page.tsx'
import { Button, ButtonLink } from '../components/ui/button.tsx'
import { cx } from '../components/ui/cx.ts'
import { Skeleton, SkeletonLines } from '../components/ui/skeleton.tsx'
import { EmptyState, ErrorState, ForbiddenState } from '../components/ui/states.tsx'
import { ContinueToGameBar } from '../features/teams/continue-bar.tsx'
import { findCodeInFragment, parseInvitationCode } from '../features/teams/invite-code.ts'
import { JoinDialog, TeamForm } from '../features/teams/lazy-dialogs.ts'
import { isCaptainOfTeam } from '../features/teams/own-teams.ts'
import { TeamCard } from '../features/teams/team-card.tsx'
import styles from '../features/teams/teams.module.css'
import { useLostTeamNotice } from '../features/teams/use-lost-teams.ts'
import { paths } from '../lib/paths.ts'
import { useCall } from '../lib/server-state.ts'
import { useSession } from '../lib/session.ts'

export function Route() {
  const { t } = useTranslation(['teams', 'common'])
  const { state, profile, error, refresh } = useSession()
  if (profile) return <OwnTeams key={profile.userId} userId={profile.userId} />
  return (
    <PageLayout title={t('teams:title')} description={t('teams:description')}>
      {state === 'visitor' && <Visitor />}
      {state === 'banned' && <ForbiddenState title={t('common:banned.title')}>{t('common:banned.text')}</ForbiddenState>}
      {state === 'unknown' && (error ? <ErrorState error={error} onRetry={refresh} /> : <TeamsSkeleton />)}
    </PageLayout>
  )
}

function Visitor() {
  const { t } = useTranslation(['teams', 'common'])
  const { pathname, search, hash } = useLocation()
  const from = `${pathname}${search}${hash}`
  const invitation = parseInvitationCode(findCodeInFragment(hash))
  return (
    <EmptyState
      icon={UsersRound}
      title={invitation ? t('teams:joinForm.submitNamed', { team: invitation.teamName }) : t('teams:visitor.title')}
      actions={
        <>
          <ButtonLink variant="primary" to={paths.register.to(from)}>
            {t('common:action.register')}
          </ButtonLink>
          <ButtonLink to={paths.login.to(from)}>{t('common:action.logIn')}</ButtonLink>
        </>
      }
    >
      {t('teams:visitor.text')}
    </EmptyState>
  )
}

function OwnTeams({ userId }: { readonly userId: string }) {
  const { t } = useTranslation('teams')
  const { hash } = useLocation()
  const navigate = useNavigate()
  const linked = findCodeInFragment(hash)
  const [open, setOpen] = useState<'create' | 'join' | undefined>(linked ? 'join' : undefined)
  const [search] = useSearchParams()
  const game = search.get('game') ?? ''
  const cameFrom = /^[1-9]\d{0,8}$/.test(game) ? Number(game) : undefined
  /** Name of the team that the player created or joined on this page. */
  const [fresh, setFresh] = useState<string>()
  const { data, error, mutate } = useCall(operations.listOwnTeams)
  // The page does not wait for this data, because the data adds only links and a switch.
  const visibility = useCall(ownOperations.getOwnVisibility, data ? {} : null)
  const teams =
    data && [...data].sort((one, other) => Number(isCaptainOfTeam(other, userId)) - Number(isCaptainOfTeam(one, userId)))
  const led = teams?.find((team) => isCaptainOfTeam(team, userId))
  const tellLeft = useLostTeamNotice(data)
  const close = () => {
    setOpen(undefined)
    if (linked) void navigate(paths.teams.to(cameFrom), { replace: true })
  }
  const join = (variant: 'primary' | 'secondary') => (
    <Button variant={variant} onClick={() => setOpen('join')}>
      {t('join')}
    </Button>
  )
  const create = (
    <Button variant="primary" onClick={() => setOpen('create')}>
      <Plus aria-hidden />
      {t('create')}
    </Button>
  )
  const some = teams !== undefined && teams.length > 0
  return (
    <PageLayout
      title={t('title')}
      description={t('description')}
      actions={
        some && (
          <>
            {join('secondary')}
            {!led && create}
          </>
        )
      }
    >
      {!teams && (error ? <ErrorState error={error} onRetry={() => mutate()} /> : <TeamsSkeleton />)}
      {teams?.length === 0 && (
        <EmptyState
          icon={UsersRound}
          title={t('empty.title')}
          actions={
            <>
              {create}
              {join('secondary')}
            </>
          }
        >
          {t('empty.text')}
        </EmptyState>
      )}
      {some && (fresh !== undefined || cameFrom !== undefined) && (
        <div className={styles.continue}>
          <ContinueToGameBar teamName={fresh ?? teams[0]?.name ?? ''} gameId={cameFrom} />
        </div>
      )}
      {some && (
        <div className="stack gap-6">
          {teams.map((team) => (
            <TeamCard
              key={team.id}
              team={team}
              userId={userId}
              pages={visibility.data?.teams.find(({ id }) => id === team.id)}
              onLeft={() => tellLeft(team.id)}
            />
          ))}
        </div>
      )}
      {led && <p className="muted small above-6">{t('onlyOne', { team: led.name ?? '' })}</p>}
      <Suspense>
        {open === 'create' && <TeamForm onCreated={setFresh} onClose={close} />}
        {open === 'join' && <JoinDialog key={linked} code={linked} onJoined={setFresh} onClose={close} />}
      </Suspense>
    </PageLayout>
  )
}

function TeamsSkeleton() {
  const { t } = useTranslation('teams')
  return (
    <div className={cx('stack gap-5 frame', styles.team)} role="status" aria-label={t('loading')}>
      <div className="row">
        <Skeleton width="64px" height="64px" />
        <div className="grow stack gap-2">
          <Skeleton width="180px" height="24px" />
          <Skeleton width="260px" height="14px" />
        </div>
      </div>
      <SkeletonLines count={4} />
    </div>
  )
}
