import type { AdminGame } from '@capstan/contract/games'
import { ownOperations } from '@capstan/contract/operations'
import { type ChallengeReadiness, countReady } from '@capstan/contract/readiness'
import { ChevronDown, CircleCheck, CircleDashed, Info } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { cx } from '../../components/ui/cx.ts'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { useNow } from '../../components/ui/time.tsx'
import { stepsOf } from '../../lib/before-start.ts'
import { formatDateTime, formatDuration, formatNumber } from '../../lib/format.ts'
import { phaseOf } from '../../lib/game.ts'
import { paths } from '../../lib/paths.ts'
import { useCall } from '../../lib/server-state.ts'
import styles from './start-list.module.css'
import { useStartListPreference } from './start-list-preference.ts'

const icons = { done: CircleCheck, open: CircleDashed, note: Info } as const

/** What is left to do before a game starts, each with the way there; nothing once it runs. */
export function StartList({ game }: { readonly game: AdminGame }) {
  const isUpcoming = phaseOf(game, useNow(10_000)) === 'upcoming'
  const { data, error } = useCall(ownOperations.listChallengeReadiness, isUpcoming ? { params: { id: game.id } } : null)
  const isOpen = useStartListPreference((preference) => preference.isOpen)
  if (isUpcoming && data) return <Steps game={game} challenges={data} />
  return isUpcoming && !error ? (
    <div className={cx(styles.place, styles.loading)}>
      <SkeletonLines count={isOpen ? 4 : 1} />
    </div>
  ) : null
}

interface StepsProps {
  readonly game: AdminGame
  readonly challenges: readonly ChallengeReadiness[]
}

function Steps({ game, challenges }: StepsProps) {
  const { t } = useTranslation('admin')
  const { isOpen, toggle } = useStartListPreference()
  const listId = useId()
  const steps = stepsOf(game, countReady(challenges))
  const left = steps.filter(({ state }) => state === 'open').length
  // Once nothing is left to do only that stays which may be an oversight.
  const shown = left === 0 ? steps.filter(({ state }) => state === 'note') : steps
  const stepOf = useSteps(game, challenges)
  return (
    <section className={styles.place} aria-label={t('beforeStart.title')}>
      {left === 0 ? (
        <p className={styles.ready} role="status">
          <CircleCheck aria-hidden />
          {t('beforeStart.ready')}
        </p>
      ) : (
        <button type="button" className={styles.fold} aria-expanded={isOpen} aria-controls={listId} onClick={toggle}>
          <ChevronDown aria-hidden />
          {t('beforeStart.title')}
          <span className={styles.left}>{t('beforeStart.left', { count: left })}</span>
        </button>
      )}
      {shown.length > 0 && (
        <ul id={listId} className={styles.steps} hidden={left > 0 && !isOpen}>
          {shown.map(({ name, state }) => {
            const Icon = icons[state]
            const { text, to } = stepOf[name]
            return (
              <li key={name} data-state={state}>
                <Icon aria-hidden />
                <span>
                  <Link to={to} preventScrollReset>
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

const shownTitles = 3

/** A few titles, and how many more there are. */
const titlesOf = (challenges: readonly ChallengeReadiness[]) => {
  const shown = challenges.slice(0, shownTitles).map(({ title }) => title)
  const more = challenges.length - shown.length
  return shown.join(', ') + (more > 0 ? ` +${formatNumber(more)}` : '')
}

/** Each step in a sentence, with where it is done. */
function useSteps(game: AdminGame, challenges: readonly ChallengeReadiness[]) {
  const { t } = useTranslation('admin')
  const field = (name: string) => paths.adminGameInfo.to(game.id, name)
  const section = (challenge: ChallengeReadiness | undefined, name?: string) =>
    challenge ? paths.adminGameChallenge.to(game.id, challenge.id, name) : paths.adminGameChallenges.to(game.id)
  const enabled = challenges.filter(({ isEnabled }) => isEnabled)
  const hidden = challenges.filter(({ isEnabled }) => !isEnabled)
  const flagless = challenges.filter(({ hasFlag }) => !hasFlag)
  const imageless = enabled.filter(({ hasImage }) => hasImage === false)
  const untested = enabled.filter(({ hasImage, hasRun }) => hasImage && !hasRun)
  const hasText = game.summary.trim() !== '' || game.content.trim() !== ''
  const lasts = formatDuration(Date.parse(game.end) - Date.parse(game.start))
  const joining = game.acceptWithoutReview ? 'direct' : 'reviewed'
  const isDue = Date.parse(game.writeupDeadline) > Date.parse(game.end)
  const some = { enabled: enabled.length, total: challenges.length }
  const containers =
    imageless.length > 0
      ? t('beforeStart.noImage', { titles: titlesOf(imageless) })
      : untested.length > 0
        ? t('beforeStart.untested', { titles: titlesOf(untested) })
        : t('beforeStart.tested')
  return {
    times: { text: t('beforeStart.times', { at: formatDateTime(game.start), duration: lasts }), to: field('start') },
    text: { text: t(hasText ? 'beforeStart.text' : 'beforeStart.noText'), to: field('summary') },
    poster: { text: t(game.poster ? 'beforeStart.poster' : 'beforeStart.noPoster'), to: field('poster') },
    joining: {
      text: t(game.inviteCode ? `beforeStart.withCode.${joining}` : `beforeStart.forAll.${joining}`),
      to: field('acceptWithoutReview'),
    },
    writeup: {
      text: isDue ? t('beforeStart.writeup', { at: formatDateTime(game.writeupDeadline) }) : t('beforeStart.noDeadline'),
      to: field('writeupHours'),
    },
    challenges: {
      text:
        challenges.length === 0
          ? t('beforeStart.noChallenge')
          : hidden.length > 0
            ? t('beforeStart.someEnabled', { ...some, titles: titlesOf(hidden) })
            : t('beforeStart.allEnabled', some),
      to: section(hidden.length === 1 ? hidden[0] : undefined),
    },
    flags: {
      text: flagless.length > 0 ? t('beforeStart.noFlag', { titles: titlesOf(flagless) }) : t('beforeStart.flags'),
      to: section(flagless[0], 'flags'),
    },
    containers: { text: containers, to: section(imageless[0] ?? untested[0], 'container') },
    published: { text: t(game.hidden ? 'beforeStart.hidden' : 'beforeStart.published'), to: field('hidden') },
  }
}
