import type { ChallengeLabels, ChallengeMarks, Difficulty } from '@capstan/contract/challenge-labels'
import type { BloodEntry, BoardChallenge, SolveRank } from '@capstan/contract/scoreboard'
import { bloodTypes } from '@capstan/contract/vocabulary'
import { Box, Clock, File, Lock } from 'lucide-react'
import type { CSSProperties, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { BloodMark, BloodOutline } from '../../components/ui/blood-mark.tsx'
import { type BloodPlace, bloodPlace } from '../../components/ui/blood-shape.ts'
import { cx } from '../../components/ui/cx.ts'
import { useNow } from '../../components/ui/time.tsx'
import { formatDateTime } from '../../lib/format.ts'
import styles from './board.module.css'
import { levelOfDifficulty } from './board.ts'

export function ContentMarks({ marks, running }: Readonly<{ marks: ChallengeMarks | undefined; running: ReactNode }>) {
  const { t } = useTranslation('challenges')
  return (
    <>
      <span>{marks?.hasFile && <File role="img" aria-label={t('has.file')} className={styles.typeIcon} />}</span>
      <span>
        {running ?? (marks?.hasContainer && <Box role="img" aria-label={t('has.instance')} className={styles.typeIcon} />)}
      </span>
    </>
  )
}

export function DifficultyMark({ difficulty }: { readonly difficulty: Difficulty | null | undefined }) {
  const { t } = useTranslation('challenges')
  if (!difficulty) return null
  const name = t('difficultyIs', { difficulty: t(`difficulty.${difficulty}`) })
  return (
    <span
      role="img"
      aria-label={name}
      title={name}
      className={styles.difficulty}
      style={{ '--level': levelOfDifficulty(difficulty) } as CSSProperties}
    />
  )
}

/** True once the deadline of a challenge has passed. The component renders again at the deadline. */
export function useIsDeadlinePassed(deadline: number | null | undefined): boolean {
  const now = useNow(1000, deadline != null)
  return deadline != null && now >= deadline
}

/** Icon of the deadline of a challenge: a clock before the deadline, and a lock after it. */
export function DeadlineMark({ deadline }: { readonly deadline: number | null | undefined }) {
  const { t } = useTranslation('challenges')
  const isClosed = useIsDeadlinePassed(deadline)
  if (deadline == null) return null
  const name = isClosed ? t('flag.closed') : t('flag.closes', { time: formatDateTime(deadline) })
  const Icon = isClosed ? Lock : Clock
  return (
    <span role="img" aria-label={name} title={name} className="inline gap-0">
      <Icon aria-hidden className={styles.typeIcon} />
    </span>
  )
}

export function ChallengeLabelList({ labels }: { readonly labels: ChallengeLabels | undefined }) {
  const { t } = useTranslation('challenges')
  if (!labels?.difficulty && !labels?.tags.length) return null
  return (
    <ul className="row gap-2 muted small below-4" aria-label={t('labels')}>
      {labels.difficulty && (
        <li className="line gap-2">
          <DifficultyMark difficulty={labels.difficulty} />
          <span aria-hidden>{t(`difficulty.${labels.difficulty}`)}</span>
        </li>
      )}
      {labels.tags.map((tag) => (
        <li key={tag} className={cx('wrap-anywhere', styles.tag)}>
          {tag}
        </li>
      ))}
    </ul>
  )
}

type BestBloodProps = Readonly<{
  challenge: BoardChallenge
  /** Kind of the team's solve, such as first blood. Undefined if the team has not solved the challenge. */
  own: SolveRank | undefined
}>

/** Blood that the team got for the challenge, or else the best blood that it can still get. */
export function BestBloodMark({ challenge, own }: BestBloodProps) {
  const { t } = useTranslation('challenges')
  const isClosed = useIsDeadlinePassed(challenge.deadline)
  const ownPlace = own && bloodPlace(own)
  if (ownPlace) return <BloodMark place={ownPlace} label={t(`blood.${bloodTypes[ownPlace - 1] ?? 'ThirdBlood'}`)} />
  const next = bloodTypes[challenge.bloods.length]
  if (own || !next || challenge.disableBloodBonus || isClosed) return null
  return (
    <span className="stack gap-0" title={t('bloodOpen', { blood: t(`blood.${next}`) })}>
      <BloodOutline label={t('bloodOpen', { blood: t(`blood.${next}`) })} />
    </span>
  )
}

/** Blood symbols and avatars of the first three teams that solved the challenge. */
export function FirstSolverMarks({ bloods }: { readonly bloods: readonly BloodEntry[] }) {
  const { t } = useTranslation('challenges')
  if (bloods.length === 0) return null
  return (
    <span className="line end">
      {bloods.slice(0, bloodTypes.length).map((team, index) => {
        const name = t('bloodBy', { blood: t(`blood.${bloodTypes[index] ?? 'ThirdBlood'}`), team: team.name })
        return (
          <span key={team.id} className="inline gap-0">
            <BloodMark place={(index + 1) as BloodPlace} label={name} />
            <Avatar team name={team.name} src={team.avatar} size={20} />
          </span>
        )
      })}
    </span>
  )
}
