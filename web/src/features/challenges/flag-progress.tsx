import { ownOperations } from '@capstan/contract/operations'
import type { PlayerBoard } from '@capstan/contract/scoreboard'
import type { FlagProgress } from '@capstan/contract/submissions'
import { useEffect, useMemo, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import { useHaveAllReadsEnded } from '../../lib/quiet.ts'
import { useCachedCallData, useCall } from '../../lib/server-state.ts'

export type Progress = ReadonlyMap<number, FlagProgress>

/**
 * For each challenge with several flags, reads how many of the flags the team has found. Reads again if the score of the team
 * changes, because a teammate may have found a flag.
 */
export function useFlagProgress(gameId: number, board: PlayerBoard | undefined): Progress {
  const isQuiet = useHaveAllReadsEnded()
  const score = board?.rank?.score
  const input = { params: { id: gameId } }
  // A flag without points does not change the score. Therefore, also read the progress every minute once the team has found a
  // flag.
  const hasFound = (useCachedCallData()(ownOperations.listFlagProgress, input)?.length ?? 0) > 0
  const { data, mutate } = useCall(ownOperations.listFlagProgress, isQuiet && board ? input : null, {
    refreshInterval: hasFound ? 60_000 : 0,
  })
  const known = useRef(score)
  useEffect(() => {
    if (known.current !== undefined && known.current !== score) void mutate()
    known.current = score
  }, [score, mutate])
  return useMemo(() => new Map(data?.map((each) => [each.challengeId, each])), [data])
}

/** Number of found flags, such as "2 of 3 flags". */
export function FlagProgressText({ progress: { found, total } }: { readonly progress: FlagProgress }) {
  const { t } = useTranslation('challenges')
  return <span className="truncate">{t('parts.progress', { found: formatNumber(found), count: total })}</span>
}
