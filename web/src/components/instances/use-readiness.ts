import { operations } from '@capstan/contract/operations'
import { useEffect } from 'react'
import { refreshCall } from '../../lib/server-state.ts'
import { parseInstanceEntry } from './connection.ts'
import { type Target, useInstanceJobs } from './instance-jobs.ts'
import type { InstanceJob } from './instance-state.ts'

const checkMs = 3_000

/** Resolves to true if a proxy connection opens. The server refuses connections while no program listens. */
function answers(address: string) {
  return new Promise<boolean>((resolve) => {
    const socket = new WebSocket(address)
    socket.onopen = () => {
      resolve(true)
      socket.close()
    }
    socket.onerror = () => resolve(false)
    socket.onclose = () => resolve(false)
  })
}

/** Checks a slow instance until it accepts connections or ends. */
export function useInstanceReadiness({ gameId, challengeId }: Target, job: InstanceJob | undefined, entry: string | null): void {
  const isPending = job?.kind === 'pending'
  const put = useInstanceJobs((store) => store.put)
  useEffect(() => {
    if (!isPending) return
    const target = { gameId, challengeId }
    if (entry === null) return put(target, { kind: 'lost' })
    const connection = parseInstanceEntry(entry, location.origin)
    if (connection?.kind === 'direct') return put(target, undefined)
    let current = true
    const timer = setInterval(async () => {
      if (connection && (await answers(connection.webSocket)) && current) put(target, undefined)
      else if (current) await refreshCall(operations.getChallenge, { params: { id: gameId, cid: challengeId } })
    }, checkMs)
    return () => {
      current = false
      clearInterval(timer)
    }
  }, [isPending, entry, gameId, challengeId, put])
}
