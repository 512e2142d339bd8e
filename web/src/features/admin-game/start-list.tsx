import type { AdminGame } from '@capstan/contract/games'
import { ownOperations } from '@capstan/contract/operations'
import { type ChallengeReadiness, countChallengesByReadiness } from '@capstan/contract/readiness'
import { ChevronDown, CircleCheck, CircleDashed, Info } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { cx } from '../../components/ui/cx.ts'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { useNow } from '../../components/ui/time.tsx'
import { listStepsBeforeStart } from '../../lib/before-start.ts'
import { phaseOfGame } from '../../lib/game.ts'
import { useCall } from '../../lib/server-state.ts'
import styles from './start-list.module.css'
import { useStartListPreference } from './start-list-preference.ts'
import { useStartStepTexts } from './step-texts.ts'

const icons = { done: CircleCheck, open: CircleDashed, note: Info, check: Info } as const

/** Steps to complete before the start of a game, with links. Renders nothing once the game has started. */
export function StartStepList({ game }: { readonly game: AdminGame }) {
  const isUpcoming = phaseOfGame(game, useNow(10_000)) === 'upcoming'
  const { data, error } = useCall(ownOperations.listChallengeReadiness, isUpcoming ? { params: { id: game.id } } : null)
  const isOpen = useStartListPreference((preference) => preference.isOpen)
  if (isUpcoming && data) return <Steps game={game} challenges={data} />
  return isUpcoming && !error ? (
    <div className="frame padded above-4">
      <SkeletonLines count={isOpen ? 4 : 1} />
    </div>
  ) : null
}

type StepsProps = Readonly<{
  game: AdminGame
  challenges: readonly ChallengeReadiness[]
}>

function Steps({ game, challenges }: StepsProps) {
  const { t } = useTranslation('admin')
  const { isOpen, toggle } = useStartListPreference()
  const listId = useId()
  const steps = listStepsBeforeStart(game, countChallengesByReadiness(challenges))
  const left = steps.filter(({ state }) => state === 'open').length
  // If all required steps are done, show only the other steps. These are optional, or the organizer confirms them by publishing the
  // game.
  const shown = left === 0 ? steps.filter(({ state }) => state === 'note' || state === 'check') : steps
  const stepOf = useStartStepTexts(game, challenges)
  return (
    <section className="frame above-4" aria-label={t('beforeStart.title')}>
      {left === 0 ? (
        <p className={cx('line small', styles.ready)} role="status">
          <CircleCheck aria-hidden />
          {t('beforeStart.ready')}
        </p>
      ) : (
        <button
          type="button"
          className={cx('folder', styles.fold)}
          aria-expanded={isOpen}
          aria-controls={listId}
          onClick={toggle}
        >
          <ChevronDown aria-hidden />
          {t('beforeStart.title')}
          <span className="muted regular end">{t('beforeStart.left', { count: left })}</span>
        </button>
      )}
      {shown.length > 0 && (
        <ul id={listId} className={cx('tiles gap-1 muted small wrap-anywhere', styles.steps)} hidden={left > 0 && !isOpen}>
          {shown.map(({ name, state }) => {
            const Icon = icons[state]
            const { text, to } = stepOf[name]
            return (
              <li key={name} data-state={state}>
                <Icon aria-hidden />
                <span>
                  <Link to={to} className="quiet" preventScrollReset>
                    {text}
                  </Link>
                  <span className="visually-hidden">, {t(`beforeStart.${state}`)}</span>
                </span>
              </li>
            )
          })}
        </ul>
      )}
    </section>
  )
}
