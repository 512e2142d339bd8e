import type { ChallengeView } from '@capstan/contract/challenges'
import { operations } from '@capstan/contract/operations'
import { useEffect } from 'react'
import { serverNow } from '../../lib/clock.ts'
import { useConfig } from '../../lib/config.ts'
import { refresh } from '../../lib/server-state.ts'
import { useNow } from '../ui/time.tsx'
import { readEntry } from './connection.ts'
import { ConnectionInfo } from './connection-info.tsx'
import { extendInstance, keyOf, startInstance, stopInstance, useInstanceJobs } from './instance-jobs.ts'
import { InstancePanel } from './instance-panel.tsx'
import { failureOf, instanceStateOf } from './instance-state.ts'
import { useTerminals } from './terminal/terminals.ts'
import { useReadiness } from './use-readiness.ts'

interface ChallengeInstanceProps {
  readonly gameId: number
  readonly challenge: ChallengeView
}

/** The team's instance of a challenge, with everything a player does to it. */
export function ChallengeInstance({ gameId, challenge }: ChallengeInstanceProps) {
  const target = { gameId, challengeId: challenge.id }
  const key = keyOf(target)
  useNow()
  // What is left is counted from the present itself: the common clock is up to its step behind.
  const now = serverNow()
  const minutes = useConfig()
  const job = useInstanceJobs((store) => store.jobs[key])
  const freeAt = useInstanceJobs((store) => store.freeAt[key] ?? 0)
  const openTerminal = useTerminals((store) => store.open)
  const state = instanceStateOf(challenge.context, job, now)
  const entry = challenge.context.instanceEntry
  useReadiness(target, job, entry)

  // The end is known before anybody says so.
  const isOver = state.kind === 'expired'
  useEffect(() => {
    if (isOver) void refresh(operations.getChallenge, { params: { id: gameId, cid: challenge.id } })
  }, [isOver, gameId, challenge.id])

  const connection = state.kind === 'ready' ? readEntry(state.entry, location.origin) : undefined
  return (
    <InstancePanel
      state={state}
      now={now}
      minutes={minutes}
      failure={failureOf(job, state)}
      coolDownSeconds={Math.max(0, Math.ceil((freeAt - now) / 1000))}
      connection={
        <ConnectionInfo
          connection={connection}
          speaksHttp={challenge.category === 'Web'}
          onTerminal={() => connection?.kind === 'proxy' && openTerminal({ id: connection.id, title: challenge.title })}
        />
      }
      onStart={() => void startInstance(target)}
      onStop={() => void stopInstance(target)}
      onExtend={() => void extendInstance(target)}
    />
  )
}
