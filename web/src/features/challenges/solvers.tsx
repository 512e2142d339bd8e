import type { ChallengeSolvers, Solver } from '@capstan/contract/board-parts'
import { bloodTypes } from '@capstan/contract/vocabulary'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { bloodPlace } from '../../components/ui/blood-shape.ts'
import { RelativeTime } from '../../components/ui/time.tsx'
import styles from './dialog.module.css'

interface SolversProps extends ChallengeSolvers {
  readonly ownTeamId: number | undefined
  /** By the own team, which the list of latest ones may not show. */
  readonly isSolved: boolean
}

/** Which teams solved it last. */
export function Solvers({ count, latest, ownTeamId, isSolved }: SolversProps) {
  const { t } = useTranslation('challenges')
  return (
    <section className="stack gap-2" aria-labelledby="recent-solvers">
      <h3 id="recent-solvers" className={styles.label}>
        {t('solvers.title')}
      </h3>
      {count === 0 && !isSolved && <p className="muted small">{t('solvers.none')}</p>}
      <ul className={styles.solvers}>
        {latest.map(({ id, name, avatar, type, time }) => (
          <li key={id}>
            <Avatar team name={name} src={avatar} size={22} />
            <bdi className="truncate">{name}</bdi>
            {id === ownTeamId && <Badge tone="brand">{t('solvers.own')}</Badge>}
            <SolverBlood type={type} />
            <span className={styles.solvedAt}>
              <RelativeTime at={time} />
            </span>
          </li>
        ))}
      </ul>
      {count > latest.length && <p className="faint small">{t('solvers.more', { count: count - latest.length })}</p>}
    </section>
  )
}

function SolverBlood({ type }: Pick<Solver, 'type'>) {
  const { t } = useTranslation('challenges')
  const place = bloodPlace(type)
  if (place === undefined) return null
  return <BloodMark place={place} label={t(`blood.${bloodTypes[place - 1] ?? 'ThirdBlood'}`)} />
}
