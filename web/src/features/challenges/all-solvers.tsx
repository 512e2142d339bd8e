import type { Scoreboard } from '@capstan/contract/scoreboard'
import { useMemo, useState } from 'react'
import { Trans, useTranslation } from 'react-i18next'
import { TeamLink } from '../../components/team-link.tsx'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Dialog } from '../../components/ui/dialog.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatNumber } from '../../lib/format.ts'
import { useScoreboard } from '../../lib/game.ts'
import styles from './dialog.module.css'
import { SolverBlood } from './solver-blood.tsx'

/** Returns the teams that solved a challenge, in the order of their solves. */
export function listSolvers({ items }: Pick<Scoreboard, 'items'>, challengeId: number) {
  return items
    .flatMap((team) => {
      const solve = team.solvedChallenges.find(({ id }) => id === challengeId)
      return solve ? [{ team, solve }] : []
    })
    .toSorted((one, other) => Date.parse(one.solve.time) - Date.parse(other.solve.time) || one.team.rank - other.team.rank)
}

/** Number of teams that the dialog shows at first, and that each click on the button adds. */
const step = 50

type AllSolversProps = Readonly<{
  gameId: number
  challengeId: number
  title: string
  ownTeamId: number | undefined
  onClose: () => void
}>

/** Dialog with all teams that solved a challenge. It reads them from the scoreboard. */
export function AllSolversDialog({ gameId, challengeId, title, ownTeamId, onClose }: AllSolversProps) {
  const { t } = useTranslation('challenges')
  const { data: board, error, mutate } = useScoreboard(gameId)
  const solvers = useMemo(() => board && listSolvers(board, challengeId), [board, challengeId])
  const [shown, setShown] = useState(step)
  const heading = <Trans t={t} i18nKey="solvers.allTitle" values={{ challenge: title }} components={{ what: <bdi /> }} />
  return (
    <Dialog open onOpenChange={(open) => !open && onClose()} title={heading}>
      {!solvers && (error ? <ErrorState error={error} onRetry={() => mutate()} /> : <SkeletonLines count={6} />)}
      {solvers && (
        <>
          <ol className="stack gap-2 small">
            {solvers.slice(0, shown).map(({ team, solve }, at) => (
              <li key={team.id} className="line leads">
                <span className={cx('faint number', styles.solverPlace)}>{formatNumber(at + 1)}</span>
                <Avatar team name={team.name} src={team.avatar} size={22} />
                <span className="truncate">
                  <TeamLink gameId={gameId} team={team} />
                </span>
                {team.id === ownTeamId && <Badge tone="brand">{t('solvers.own')}</Badge>}
                <SolverBlood type={solve.type} />
                <span className="faint tiny end nowrap">
                  <RelativeTime at={solve.time} />
                </span>
              </li>
            ))}
          </ol>
          {solvers.length > shown && <Button onClick={() => setShown(shown + step)}>{t('solvers.showMore')}</Button>}
        </>
      )}
    </Dialog>
  )
}
