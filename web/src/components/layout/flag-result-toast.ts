import { bloodTypes } from '@capstan/contract/vocabulary'
import { getErrorTitle } from '../../lib/error-title.ts'
import type { FlagResult } from '../../lib/flag-results.ts'
import { formatNumber } from '../../lib/format.ts'
import { i18n, loadTextsOfAreas } from '../../lib/i18n.ts'
import type { ToastContent } from '../ui/toast.ts'

/** Duration of the toast, in ms. It is long, because the player may be looking at a terminal. */
const lastsMs = 20_000

/**
 * Returns a toast with the result of a flag, for a player who has closed the challenge.
 * @param open opens the challenge
 */
export async function createFlagResultToast({ submission, answer }: FlagResult, open: () => void): Promise<ToastContent> {
  await loadTextsOfAreas(['challenges'])
  const t = i18n.getFixedT(null, 'challenges')
  const title = submission.challengeTitle
  const rest = { action: { label: t('flag.result.open'), run: open }, lastsMs }
  switch (answer.kind) {
    case 'right': {
      const { gain } = answer
      if (gain === 'again') return { ...rest, tone: 'ok', title: t('flag.result.again', { title }) }
      if (gain === 'unscored') return { ...rest, tone: 'ok', title: t('flag.result.right', { title }), text: i18n.t('game.over') }
      if ('found' in gain) {
        const { isNew, points } = gain.found
        const found = isNew ? t('flag.result.gain', { title, points: formatNumber(points) }) : t('flag.result.again', { title })
        return { ...rest, tone: 'ok', title: found, text: t('parts.left', { count: gain.found.total - gain.found.found }) }
      }
      const { score, type } = gain.solve
      const blood = bloodTypes.find((each) => each === type)
      return {
        ...rest,
        tone: 'ok',
        title: t('flag.result.gain', { title, points: formatNumber(score) }),
        ...(blood && { text: t(`blood.${blood}`) }),
      }
    }
    case 'wrong':
      return { ...rest, tone: 'bad', title: t('flag.result.wrong', { title }) }
    default:
      return { ...rest, tone: 'bad', title: t('flag.result.failed', { title }), ...reasonOf(answer) }
  }
}

function reasonOf(answer: FlagResult['answer']): Pick<ToastContent, 'text'> {
  const t = i18n.getFixedT(null, 'challenges')
  switch (answer.kind) {
    case 'expired':
      return { text: t('flag.expired') }
    case 'unknown':
      return { text: t('flag.unknown', { id: answer.submissionId }) }
    case 'refused':
      return { text: getErrorTitle(answer.error) }
    default:
      return {}
  }
}
