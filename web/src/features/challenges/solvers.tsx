import type { SolvedChallenge } from '@capstan/contract/scoreboard'
import { bloodTypes } from '@capstan/contract/vocabulary'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { bloodPlace } from '../../components/ui/blood-shape.ts'
import { RelativeTime } from '../../components/ui/time.tsx'
import type { Solver } from './board.ts'
import styles from './dialog.module.css'

const shownMax = 6

interface SolversProps {
  /** Latest first. */
  readonly solvers: readonly Solver[]
  readonly ownTeamId: number | undefined
  /** By the own team, which the list of latest ones may not show. */
  readonly isSolved: boolean
}

/** Which teams solved it last. */
export function Solvers({ solvers, ownTeamId, isSolved }: SolversProps) {
  const { t } = useTranslation('challenges')
  const shown = solvers.slice(0, shownMax)
  return (
    <section className="stack gap-2" aria-labelledby="recent-solvers">
      <h3 id="recent-solvers" className={styles.label}>
        {t('solvers.title')}
      </h3>
      {shown.length === 0 && !isSolved && <p className="muted small">{t('solvers.none')}</p>}
      <ul className={styles.solvers}>
        {shown.map(({ teamId, name, avatar, solve }) => (
          <li key={teamId}>
            <Avatar team name={name} src={avatar} size={22} />
            <span className="truncate">{name}</span>
            {teamId === ownTeamId && <Badge tone="brand">{t('solvers.own')}</Badge>}
            <SolverBlood type={solve.type} />
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

function SolverBlood({ type }: { readonly type: SolvedChallenge['type'] }) {
  const { t } = useTranslation('challenges')
  const place = bloodPlace(type)
  if (place === undefined) return null
  return <BloodMark place={place} label={t(`blood.${bloodTypes[place - 1] ?? 'ThirdBlood'}`)} />
}
