import type { SolvedChallenge } from '@capstan/contract/scoreboard'
import { Droplet } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import type { Solver } from './board.ts'
import styles from './dialog.module.css'

const shownMax = 6

interface SolversProps {
  /** Latest first. */
  readonly solvers: readonly Solver[]
  readonly ownTeamId: number | undefined
  readonly ownSolve: SolvedChallenge | undefined
}

/** Who of the own team solved it, and which teams did last. */
export function Solvers({ solvers, ownTeamId, ownSolve }: SolversProps) {
  const { t } = useTranslation('challenges')
  const shown = solvers.slice(0, shownMax)
  return (
    <section className="stack gap-2" aria-labelledby="recent-solvers">
      <h3 id="recent-solvers" className={styles.label}>
        {t('solvers.title')}
      </h3>
      {ownSolve && <OwnSolve solve={ownSolve} />}
      {shown.length === 0 && !ownSolve && <p className="muted small">{t('solvers.none')}</p>}
      <ul className={styles.solvers}>
        {shown.map(({ teamId, name, avatar, solve }) => (
          <li key={teamId}>
            <Avatar team name={name} src={avatar} size={22} />
            <span className="truncate">{name}</span>
            {teamId === ownTeamId && <Badge tone="brand">{t('solvers.own')}</Badge>}
            {(solve.type === 'FirstBlood' || solve.type === 'SecondBlood' || solve.type === 'ThirdBlood') && (
              <span className={styles.blood} data-blood={solve.type} title={t(`blood.${solve.type}`)}>
                <Droplet role="img" aria-label={t(`blood.${solve.type}`)} />
              </span>
            )}
            <span className={styles.solvedAt}>
              <RelativeTime at={solve.time} />
            </span>
          </li>
        ))}
      </ul>
      {solvers.length > shown.length && (
        <p className="faint small">{t('solvers.more', { count: solvers.length - shown.length })}</p>
      )}
    </section>
  )
}

function OwnSolve({ solve }: { readonly solve: SolvedChallenge }) {
  const { t } = useTranslation('challenges')
  const points = t('flag.gain', { count: solve.score })
  return (
    <p className="small">
      {solve.userName ? t('flag.solvedBy', { name: solve.userName, points }) : t('flag.solvedOwn', { points })}
      {' · '}
      <RelativeTime at={solve.time} />
    </p>
  )
}
