import type { AdminGame } from '@capstan/contract/games'
import type { ChallengeReadiness } from '@capstan/contract/readiness'
import { useTranslation } from 'react-i18next'
import { formatDateTime, formatDuration, formatNumber } from '../../lib/format.ts'
import { isolateDirection } from '../../lib/i18n.ts'
import { paths } from '../../lib/paths.ts'

const shownTitles = 3

/** Returns the titles of the first challenges, and the number of challenges whose titles are omitted. */
function titlesOf(challenges: readonly ChallengeReadiness[]) {
  const shown = challenges.slice(0, shownTitles).map(({ title }) => isolateDirection(title))
  const more = challenges.length - shown.length
  return shown.join(', ') + (more > 0 ? ` +${formatNumber(more)}` : '')
}

export function useStartStepTexts(game: AdminGame, challenges: readonly ChallengeReadiness[]) {
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
