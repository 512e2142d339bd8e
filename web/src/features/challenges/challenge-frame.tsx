import type { ChallengeCategory } from '@capstan/contract/challenges'
import { availablePoints } from '@capstan/contract/score'
import type { BoardChallenge } from '@capstan/contract/scoreboard'
import type { ComponentProps, ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { CategoryBadge } from '../../components/ui/category-badge.tsx'
import { cx } from '../../components/ui/cx.ts'
import { WorkspaceDialog } from '../../components/ui/workspace-dialog.tsx'
import { FirstSolverMarks } from './challenge-facts.tsx'
import styles from './dialog.module.css'

type ChallengeFrameProps = Omit<ComponentProps<typeof WorkspaceDialog>, 'lead' | 'facts'> &
  Readonly<{
    category: ChallengeCategory | undefined
    facts: Pick<BoardChallenge, 'bloods' | 'flagPoints' | 'score' | 'solved'> | undefined
    mark?: ReactNode
  }>

/** Dialog of a challenge with a header. The children are its content. */
export function ChallengeFrame({ category, facts, mark, ...rest }: ChallengeFrameProps) {
  const { t } = useTranslation('challenges')
  return (
    <WorkspaceDialog
      {...rest}
      lead={category && <CategoryBadge category={category} />}
      facts={
        <>
          {mark}
          {facts && (
            <span className={cx('line gap-3 muted small number', styles.facts)}>
              <FirstSolverMarks bloods={facts.bloods} />
              <span className="nowrap">{t('solves', { count: facts.solved })}</span>
              <b className="nowrap">{t('points', { count: availablePoints(facts) })}</b>
            </span>
          )}
        </>
      }
    />
  )
}
