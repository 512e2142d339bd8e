import type { FullChallenge } from '@capstan/contract/challenge'
import { hasSharedFlags } from '@capstan/contract/challenge-types'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { LastRejudge, RejudgeForecast } from '@capstan/contract/rejudging'
import { useEffect, useRef, useState } from 'react'
import { type Action, useAction } from '../../components/ui/form.ts'
import { addressOfBoard } from '../../lib/game.ts'
import { call } from '../../lib/http.ts'
import { refreshCall, refreshCallsWithPrefix } from '../../lib/server-state.ts'
import { createFlagKeys } from './save-challenge.ts'

/**
 * Stage of a rejudge. In the stage `asks`, a forecast waits for the organizer's decision. In the stage `done`, the result is
 * visible.
 */
type RejudgeStage =
  | { readonly name: 'idle' | 'undone' }
  | Readonly<{ name: 'asks'; forecast: RejudgeForecast; flagsChanged: boolean }>
  | Readonly<{ name: 'done'; effect: LastRejudge }>

export type Rejudging = Readonly<{
  stage: RejudgeStage
  look: Action<[flagsChanged: boolean]>
  rejudge: Action<[]>
  undo: Action<[]>
  dismiss: () => void
}>

const timeoutMs = 300_000

type RejudgingOptions = Readonly<{
  /** True once the game has started, so that submissions may exist. */
  hasSubmissions: boolean
  areFlagsShown: boolean
}>

/**
 * Manages the forecast, rejudge and undo for a challenge. The forecast runs when the flags are first shown, because they may have
 * changed before a reload. It runs again after any user changes the flags.
 */
export function useRejudging(
  gameId: number,
  { id, challenge }: FullChallenge,
  { hasSubmissions, areFlagsShown }: RejudgingOptions,
): Rejudging {
  const params = { id: gameId, cid: id }
  const [stage, setStage] = useState<RejudgeStage>({ name: 'idle' })
  const look = useAction(async (flagsChanged: boolean) => {
    const forecast = await call(ownOperations.forecastRejudge, { params, timeoutMs })
    setStage(flagsChanged && forecast.changed === 0 ? { name: 'idle' } : { name: 'asks', forecast, flagsChanged })
  })
  const showChanges = () =>
    Promise.all([refreshCall(ownOperations.getFullChallenge, { params }), refreshCallsWithPrefix(addressOfBoard(gameId))])
  const rejudge = useAction(async () => {
    await call(operations.recalculateSubmissions, { params, timeoutMs })
    const forecast = await call(ownOperations.forecastRejudge, { params, timeoutMs })
    setStage(forecast.last ? { name: 'done', effect: forecast.last } : { name: 'asks', forecast, flagsChanged: false })
    await showChanges()
  })
  const undo = useAction(async () => {
    await call(ownOperations.undoRejudge, { params, timeoutMs })
    setStage({ name: 'undone' })
    await showChanges()
  })
  const isShared = hasSharedFlags(challenge.type)
  const key = createFlagKeys(challenge.flags).join()
  const seenKey = useRef(key)
  const wereFlagsShown = useRef(false)
  const isIdle = stage.name === 'idle'
  useEffect(() => {
    const isFirstView = areFlagsShown && !wereFlagsShown.current && isShared && hasSubmissions
    const isChanged = seenKey.current !== key
    seenKey.current = key
    if (isFirstView) wereFlagsShown.current = true
    if (isShared && hasSubmissions && (isChanged || (isFirstView && isIdle))) void look.run(true)
  }, [key, isShared, hasSubmissions, areFlagsShown, isIdle, look.run])
  const dismiss = () => {
    for (const action of [look, rejudge, undo]) action.reset()
    setStage({ name: 'idle' })
  }
  return { stage, look, rejudge, undo, dismiss }
}
