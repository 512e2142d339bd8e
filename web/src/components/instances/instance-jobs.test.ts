import { Limits } from '@capstan/contract/limits'
import { beforeEach, expect, it, onTestFinished, vi } from 'vitest'
import { serverNow } from '../../lib/clock.ts'
import { simulateServer } from '../../testing/server.ts'
import { keyOfInstanceJob, startInstance, stopInstance, useInstanceJobs } from './instance-jobs.ts'
import { findLastFailure, instanceStateOf } from './instance-state.ts'

const target = { gameId: 3, challengeId: 7 }
const address = '/api/game/3/container/7'

beforeEach(() => useInstanceJobs.setState({ jobs: {}, freeAt: {} }))

function job() {
  return useInstanceJobs.getState().jobs[keyOfInstanceJob(target)]
}

/**
 * Returns the responses to two attempts. The first response is lost. The second response shows that the first attempt succeeded.
 */
function lostThen(code: string) {
  const answers = [{ status: 502 }, { status: 400, body: { title: code, status: 400, code } }]
  return () => answers.shift() ?? { status: 500 }
}

it('a repeated stop that finds no instance shows no error', async () => {
  const asked = simulateServer({ [`DELETE ${address}`]: lostThen('instance.none') })
  await stopInstance(target)
  expect(asked.filter(({ method }) => method === 'DELETE')).toHaveLength(2)
  const state = instanceStateOf({ instanceEntry: null, closeTime: null }, job(), 0)
  expect(findLastFailure(job(), state)).toBeUndefined()
})

it('a repeated start that finds a running instance shows no error', async () => {
  const asked = simulateServer({ [`POST ${address}`]: lostThen('instance.running') })
  await startInstance(target)
  expect(asked.filter(({ method }) => method === 'POST')).toHaveLength(2)
  const state = instanceStateOf({ instanceEntry: 'host:1', closeTime: '2999-01-01T00:00:00Z' }, job(), 0)
  expect(findLastFailure(job(), state)).toBeUndefined()
})

it('the cooldown of a start begins when the response arrives', async () => {
  const sentAt = Date.now()
  vi.useFakeTimers({ now: sentAt, toFake: ['Date'] })
  onTestFinished(() => void vi.useRealTimers())
  const answer = { status: 'Running', entry: 'host:1', startedAt: sentAt + 1000, expectStopAt: sentAt + 3_600_000 }
  simulateServer({
    [`POST ${address}`]: () => {
      vi.setSystemTime(sentAt + 1500)
      return { body: answer }
    },
  })
  await startInstance(target)
  const { freeAt } = useInstanceJobs.getState()
  expect(freeAt[keyOfInstanceJob(target)]).toBe(serverNow() + Limits.instanceCooldownSeconds * 1000)
})
