import type { DeskChallenge } from '@capstan/contract/desk'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Button } from '../../components/ui/button.tsx'
import { categoryIcons } from '../../components/ui/category.tsx'
import { cx } from '../../components/ui/cx.ts'
import { ShareBar } from '../../components/ui/share-bar.tsx'
import { formatNumber } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import styles from './desk.module.css'
import { isSuspiciousChallenge, sortChallengesBySeverity } from './desk-figures.ts'
import { DashboardTile } from './desk-tile.tsx'
import { LinkedName } from './links.tsx'

/** Number of challenges that fit beside the lists of teams. */
const shownFirst = 14

type ChallengeBarsProps = Readonly<{
  gameId: number
  challenges: readonly DeskChallenge[]
  teamCount: number
  isAdmin: boolean
  isOver: boolean
}>

export function ChallengeBars({ gameId, challenges, teamCount, isAdmin, isOver }: ChallengeBarsProps) {
  const { t } = useTranslation('monitor')
  const [isAll, setIsAll] = useState(false)
  const sorted = sortChallengesBySeverity(challenges)
  const most = Math.max(1, ...challenges.map(({ solved }) => solved))
  return (
    <DashboardTile title={t('desk.byChallenge')} note={!isOver && challenges.length > 0 && t('desk.byChallengeNote')}>
      {challenges.length === 0 && <p className="muted">{t('desk.noChallenges')}</p>}
      <ul className={cx('aligned', styles.challenges)} data-over={isOver || undefined}>
        {sorted.slice(0, isAll ? undefined : shownFirst).map((challenge) => (
          <ChallengeBar
            key={challenge.id}
            challenge={challenge}
            share={challenge.solved / Math.min(most, Math.max(1, teamCount))}
            gameId={gameId}
            to={isAdmin ? paths.adminGameChallenge.to(gameId, challenge.id) : paths.challenges.to(gameId, challenge.id)}
            isOver={isOver}
          />
        ))}
      </ul>
      {challenges.length > shownFirst && (
        <Button variant="ghost" size="small" aria-expanded={isAll} onClick={() => setIsAll(!isAll)}>
          {isAll ? t('desk.showFewer') : t('desk.showAll', { total: formatNumber(challenges.length) })}
        </Button>
      )}
    </DashboardTile>
  )
}

type ChallengeBarProps = Readonly<{
  challenge: DeskChallenge
  share: number
  gameId: number
  to: string
  isOver: boolean
}>

function ChallengeBar({ gameId, challenge, share, to, isOver }: ChallengeBarProps) {
  const { t } = useTranslation('monitor')
  const { id, title, category, solved, right, wrong } = challenge
  const Icon = categoryIcons[category]
  return (
    <li data-category={category} data-wrong={isSuspiciousChallenge(challenge) || undefined}>
      <Icon aria-hidden />
      <span className="truncate">
        <LinkedName to={to}>{title}</LinkedName>
      </span>
      <ShareBar share={share} tone="ok" />
      <span className="number">
        <Link to={paths.monitorSubmissions.to(gameId, { challenge: id, status: 'Accepted' })} className="touchTarget">
          {formatNumber(solved)}
          <span className="visually-hidden"> {t('desk.solvedUnit')}</span>
        </Link>
      </span>
      {!isOver && (
        <span className="muted tiny number">
          {(right > 0 || wrong > 0) && (
            <Link to={paths.monitorSubmissions.to(gameId, { challenge: id })} className="touchTarget">
              {t('desk.hourOf', { right: formatNumber(right), wrong: formatNumber(wrong) })}
            </Link>
          )}
        </span>
      )}
    </li>
  )
}
