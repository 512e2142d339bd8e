import { randomUUID } from 'node:crypto'
import { createInProcessBus } from '@capstan/bus/in-process-bus'
import type { MessageBus } from '@capstan/bus/message-bus'
import { liveCheckGameId } from '@capstan/contract/events'
import type { GameNotice } from '@capstan/contract/games'
import { afterEach, expect, it } from 'vitest'
import { createFakeBackend } from '../testing/fake-backend.ts'
import { startTestGateway, type TestGateway } from '../testing/test-gateway.ts'
import { checkLiveMessages } from './check.ts'

const gateways: TestGateway[] = []
afterEach(async () => {
  for (const gateway of gateways.splice(0)) await gateway.close()
})

async function aGateway(bus: MessageBus): Promise<TestGateway> {
  const backend = createFakeBackend()
  backend.games.add(liveCheckGameId)
  const gateway = await startTestGateway({ bus, backend })
  gateways.push(gateway)
  return gateway
}

/** Returns a function that publishes a new text as the api does, on a separate connection to the bus. */
function publishOn(bus: MessageBus) {
  return async () => {
    const text = randomUUID()
    const payload: GameNotice = { id: 0, type: 'Normal', values: [text], time: '2026-03-01T10:00:00.000Z' }
    bus.publish({ kind: 'notice', gameId: liveCheckGameId, payload })
    return text
  }
}

it('the check succeeds if messages arrive', async () => {
  const bus = createInProcessBus()
  const { origin } = await aGateway(bus)
  await checkLiveMessages({ siteUrl: origin, publish: publishOn(bus), textMs: 5_000 })
})

it('the check fails if api and gateway are not connected', async () => {
  const { origin } = await aGateway(createInProcessBus())
  const check = checkLiveMessages({
    siteUrl: origin,
    publish: publishOn(createInProcessBus()),
    connections: 2,
    textMs: 20,
    checkMs: 100,
  })
  await expect(check).rejects.toThrow('2 of 2 connections did not receive the message of an api process')
})

it('after its timeout, the check succeeds if all texts have arrived, and fails if a text is missing', async () => {
  const bus = createInProcessBus()
  const { origin } = await aGateway(bus)
  await checkLiveMessages({ siteUrl: origin, publish: publishOn(bus), textMs: 5_000, checkMs: 0 })
  const pendingCheck = checkLiveMessages({
    siteUrl: origin,
    publish: publishOn(createInProcessBus()),
    connections: 2,
    textMs: 20,
    checkMs: 0,
  })
  await expect(pendingCheck).rejects.toThrow('2 of 2 connections did not receive')
})

it('the error of the check contains the URL if the check cannot connect', async () => {
  await expect(checkLiveMessages({ siteUrl: 'http://127.0.0.1:1', publish: async () => '' })).rejects.toThrow(
    `No connection to ws://127.0.0.1:1/hub/user?game=${liveCheckGameId}`,
  )
})
