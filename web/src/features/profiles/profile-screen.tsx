import type { TeamProfile, UserProfilePage } from '@capstan/contract/profiles'
import { SearchX } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { PageLayout } from '../../components/layout/page.tsx'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Alert } from '../../components/ui/badge.tsx'
import { ButtonLink } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { NamedValue, NamedValueList } from '../../components/ui/facts.tsx'
import { Skeleton, SkeletonLines } from '../../components/ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../components/ui/states.tsx'
import { usePageTitle } from '../../lib/config.ts'
import { formatNumber } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import type { CallFailure } from '../../lib/server-state.ts'
import { SolvesByCategory } from './category-bars.tsx'
import { GamesTable } from './games-table.tsx'
import styles from './profile.module.css'
import { isPageMissing } from './reading.ts'

type Kind = 'team' | 'player'

type ProfileScreenProps = Readonly<{
  kind: Kind
  name: string
  profile: TeamProfile | UserProfilePage
  /** Address of the edit page. Undefined if the visitor may not edit the profile. */
  edit: string | undefined
  page: number
  onPageChange: (page: number) => void
  /** List of the team's members, or of the player's teams. */
  children: ReactNode
}>

/** Page of a team or player: identity, statistics, games, and solves by category. */
export function ProfileScreen({ kind, name, profile, edit, page, onPageChange, children }: ProfileScreenProps) {
  const { t } = useTranslation('profiles')
  const { categories, gameCount, bestRank } = profile
  const sum = (key: 'solves' | 'firstBloods') => formatNumber(categories.reduce((all, each) => all + each[key], 0))
  return (
    <PageLayout title={name} headingBelow>
      <header className={cx('row start gap-5 below-6', styles.head)}>
        <Avatar team={kind === 'team'} name={name} src={profile.avatar} size={72} />
        <div className="stack gap-0 grow">
          <p className="small muted">{t(kind)}</p>
          <h1 className="wrap-anywhere">{name}</h1>
          {profile.bio && (
            <p className={cx('muted typed', styles.bio)}>
              <bdi>{profile.bio}</bdi>
            </p>
          )}
        </div>
        {edit !== undefined && <ButtonLink to={edit}>{t(kind === 'team' ? 'editTeam' : 'editPlayer')}</ButtonLink>}
      </header>
      {!profile.hasPublicPage && (
        <Alert title={t('private.title')} className="below-6">
          {t(`private.${kind}`)} {edit !== undefined && <Link to={edit}>{t('private.change')}</Link>}
        </Alert>
      )}
      <NamedValueList kind="tiles" className={styles.figures}>
        <NamedValue name={t('figures.games')}>{formatNumber(gameCount)}</NamedValue>
        <NamedValue name={t('figures.best')}>
          {bestRank === null ? <None text={t('figures.none')} /> : formatNumber(bestRank)}
        </NamedValue>
        <NamedValue name={t('figures.solves')}>{sum('solves')}</NamedValue>
        <NamedValue name={t('figures.bloods')}>{sum('firstBloods')}</NamedValue>
      </NamedValueList>
      <div className="columns">
        <GamesTable kind={kind} games={profile.games} total={gameCount} page={page} onPageChange={onPageChange} />
        <div className="stack gap-6">
          <SolvesByCategory categories={categories} />
          {children}
        </div>
      </div>
    </PageLayout>
  )
}

function None({ text }: { readonly text: string }) {
  return (
    <>
      <span aria-hidden className="faint">
        –
      </span>
      <span className="visually-hidden">{text}</span>
    </>
  )
}

/** Page that is shown while a profile loads, or if the profile cannot be loaded. */
export function ProfileState({
  kind,
  read,
}: Readonly<{
  kind: Kind
  /** Call that reads the profile. Undefined if the address is invalid. */
  read: Readonly<{ error: CallFailure | undefined; mutate: () => Promise<unknown> }> | undefined
}>) {
  const { t } = useTranslation('profiles')
  usePageTitle(t(kind))
  if (!read || isPageMissing(read.error)) {
    return (
      <EmptyState
        isPage
        icon={SearchX}
        title={t(`missing.${kind}`)}
        actions={<ButtonLink to={paths.games.to()}>{t('missing.games')}</ButtonLink>}
      >
        {t('missing.text')}
      </EmptyState>
    )
  }
  return (
    <PageLayout title={t(kind)} hideTitle>
      {read.error ? <ErrorState error={read.error} onRetry={() => read.mutate()} /> : <ProfileSkeleton />}
    </PageLayout>
  )
}

function ProfileSkeleton() {
  const { t } = useTranslation('profiles')
  return (
    <div role="status" aria-label={t('loading')}>
      <div className="row gap-5 below-6">
        <Skeleton width="72px" height="72px" />
        <div className="grow stack gap-2">
          <Skeleton width="60px" height="14px" />
          <Skeleton width="220px" height="28px" />
          <Skeleton width="320px" height="14px" />
        </div>
      </div>
      <NamedValueList kind="tiles" className={styles.figures}>
        {['a', 'b', 'c', 'd'].map((key) => (
          <NamedValue key={key} name={<Skeleton width="70px" height="14px" />}>
            <Skeleton width="40px" height="30px" />
          </NamedValue>
        ))}
      </NamedValueList>
      <div className="columns">
        <div className="frame padded">
          <SkeletonLines count={8} />
        </div>
        <div className="frame padded">
          <SkeletonLines count={5} />
        </div>
      </div>
    </div>
  )
}
