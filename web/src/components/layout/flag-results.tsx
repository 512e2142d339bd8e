import { useEffect } from 'react'
import { useNavigate } from 'react-router'
import { type FlagResult, isResultShownInDialog, onFlagResult } from '../../lib/flag-results.ts'
import { onLogOut } from '../../lib/forget.ts'
import { paths } from '../../lib/paths.ts'
import { dropPendingFlags, listPendingFlags } from '../../lib/pending-flags.ts'
import { useSession } from '../../lib/session.ts'
import { usePracticed } from '../../stores/practiced.ts'
import { showToast } from '../ui/toast.ts'

/**
 * Shows a toast with the result of a submitted flag after the player has closed the challenge. Also sends the flags that the
 * server has not judged yet: flags from before a reload, from a closed tab, or from before the end of the session.
 */
export function FlagResultNotifier() {
  const navigate = useNavigate()
  const { profile, hasEnded } = useSession()
  const userId = profile?.userId
  useEffect(() => {
    const show = async (result: FlagResult) => {
      const { gameId, challengeId } = result.submission
      if (isResultShownInDialog(challengeId)) return
      const { createFlagResultToast } = await import('./flag-result-toast.ts')
      showToast(await createFlagResultToast(result, () => void navigate(paths.challenges.to(gameId, challengeId))))
    }
    return onFlagResult((result) => void show(result))
  }, [navigate])
  useEffect(
    () =>
      onFlagResult(({ submission, answer }) => {
        const isPractice = answer.kind === 'right' && answer.gain === 'unscored'
        if (isPractice && userId !== undefined) usePracticed.getState().add(userId, [submission.challengeId])
      }),
    [userId],
  )
  useEffect(() => {
    if (userId === undefined || hasEnded || listPendingFlags(userId).length === 0) return
    void import('../../stores/flag-submissions.ts').then((file) => file.resumeSubmissions(userId))
  }, [userId, hasEnded])
  useEffect(() => (userId === undefined ? undefined : onLogOut(() => dropPendingFlags(userId))), [userId])
  return null
}
