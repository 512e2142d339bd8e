import type { ChallengeView } from '@capstan/contract/challenges'
import { operations, ownOperations } from '@capstan/contract/operations'
import { type ReactNode, useEffect } from 'react'
import { serverNow } from '../../lib/clock.ts'
import { useConfig } from '../../lib/config.ts'
import { refreshCall, useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { useNow } from '../ui/time.tsx'
import { parseInstanceEntry } from './connection.ts'
import { ConnectionInfo } from './connection-info.tsx'
import { extendInstance, keyOfInstanceJob, startInstance, stopInstance, useInstanceJobs } from './instance-jobs.ts'
import { InstancePanel } from './instance-panel.tsx'
import { findLastFailure, instanceStateOf } from './instance-state.ts'
import { useTerminals } from './terminal/terminals.ts'
import { useInstanceReadiness } from './use-readiness.ts'
import { useInstanceConnections } from './use-ways.ts'

type ChallengeInstanceProps = Readonly<{
  gameId: number
  challenge: ChallengeView
  /** Link to the form in which the player asks the organizers about a failed start. */
  askLink?: ReactNode
}>

/** Panel for the team's instance of a challenge, with all its actions. */
export function ChallengeInstance({ gameId, challenge, askLink }: ChallengeInstanceProps) {
  const target = { gameId, challengeId: challenge.id }
  const key = keyOfInstanceJob(target)
  useNow()
  // Read the exact clock for the remaining time, because the time of `useNow` is rounded down to a second.
  const now = serverNow()
  const minutes = useConfig()
  const job = useInstanceJobs((store) => store.jobs[key])
  const freeAt = useInstanceJobs((store) => store.freeAt[key] ?? 0)
  const openTerminal = useTerminals((store) => store.open)
  const { profile } = useSession()
  const { data: team } = useCall(ownOperations.listTeamInstances, { params: { id: gameId } }, { refreshInterval: 0 })
  const listed = team?.find(({ challengeId }) => challengeId === challenge.id)
  const state = instanceStateOf(challenge.context, job, now, listed)
  const entry = challenge.context.instanceEntry
  useInstanceReadiness(target, job, entry)

  // The server sends no message when an instance expires, so read the challenge again when its instance expires.
  const isOver = state.kind === 'expired'
  useEffect(() => {
    if (isOver) void refreshCall(operations.getChallenge, { params: { id: gameId, cid: challenge.id } })
  }, [isOver, gameId, challenge.id])

  const connection = state.kind === 'ready' ? parseInstanceEntry(state.entry, location.origin) : undefined
  const ways = useInstanceConnections(target, connection)
  return (
    <InstancePanel
      state={state}
      now={now}
      minutes={minutes}
      startedBy={listed?.startedBy === profile?.userName ? undefined : (listed?.startedBy ?? undefined)}
      failure={findLastFailure(job, state)}
      coolDownSeconds={Math.max(0, Math.ceil((freeAt - now) / 1000))}
      connection={
        <ConnectionInfo
          connection={connection}
          ways={ways}
          speaksHttp={challenge.category === 'Web'}
          onTerminal={() => connection?.kind === 'proxy' && openTerminal({ id: connection.id, title: challenge.title })}
        />
      }
      askLink={askLink}
      onStart={() => void startInstance(target)}
      onStop={() => void stopInstance(target)}
      onExtend={() => void extendInstance(target)}
    />
  )
}
