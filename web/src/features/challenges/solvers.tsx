import type { ChallengeSolvers } from '@capstan/contract/board-parts'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { RelativeTime } from '../../components/ui/time.tsx'
import { AllSolversDialog } from './all-solvers.tsx'
import styles from './dialog.module.css'
import { SolverBlood } from './solver-blood.tsx'

type SolversProps = ChallengeSolvers &
  Readonly<{
    gameId: number
    challenge: Readonly<{ id: number; title: string }>
    ownTeamId: number | undefined
    /** True if the user's team solved the challenge, even if it is not among the latest solvers. */
    isSolved: boolean
    /** True if the next team to solve the challenge gets the first blood. */
    hasOpenBlood: boolean
  }>

/** Latest teams that solved a challenge, with a button that shows all solvers. */
export function LatestSolvers({ gameId, challenge, count, latest, ownTeamId, isSolved, hasOpenBlood }: SolversProps) {
  const { t } = useTranslation('challenges')
  const [isOpen, setOpen] = useState(false)
  return (
    <section className="stack gap-2" aria-labelledby="recent-solvers">
      <h3 id="recent-solvers" className={cx('muted small medium', styles.label)}>
        {t('solvers.title')}
      </h3>
      {count === 0 && !isSolved && <p className="muted small">{t(hasOpenBlood ? 'solvers.noneButBlood' : 'solvers.none')}</p>}
      <ul className="stack gap-2 small">
        {latest.map(({ id, name, avatar, type, time }) => (
          <li key={id} className="line">
            <Avatar team name={name} src={avatar} size={22} />
            <bdi className="truncate">{name}</bdi>
            {id === ownTeamId && <Badge tone="brand">{t('solvers.own')}</Badge>}
            <SolverBlood type={type} />
            <span className="faint tiny end nowrap">
              <RelativeTime at={time} />
            </span>
          </li>
        ))}
      </ul>
      {count > latest.length && (
        <Button variant="ghost" size="small" className="self-start" aria-haspopup="dialog" onClick={() => setOpen(true)}>
          {t('solvers.more', { count: count - latest.length })}
        </Button>
      )}
      {isOpen && (
        <AllSolversDialog
          gameId={gameId}
          challengeId={challenge.id}
          title={challenge.title}
          ownTeamId={ownTeamId}
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  )
}
