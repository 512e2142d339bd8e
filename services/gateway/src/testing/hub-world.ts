import type { RealtimeMessage } from '@capstan/contract/events'
import { afterEach, expect, vi } from 'vitest'
import { openRawWebSocket, type RawClient } from './raw-client.ts'
import { startTestGateway, type TestGateway, type TestGatewayOptions } from './test-gateway.ts'

/** Handshake, which is the first message of a hub client. */
export const handshake = '{"protocol":"json","version":1}\x1e'
export const waiting = { timeout: 120_000, interval: 5 }

export function aNotice(gameId: number, text: string): RealtimeMessage {
  return { kind: 'notice', gameId, payload: { id: 1, type: 'Normal', values: [text], time: '2026-03-01T10:00:00.000Z' } }
}

/** Returns the text that a client receives for `aNotice`. */
export function createNoticeFrame(text: string) {
  return `{"type":1,"target":"ReceivedGameNotice","arguments":[{"id":1,"type":"Normal","values":["${text}"],"time":"2026-03-01T10:00:00.000Z"}]}\x1e`
}

/** Waits until the client has received exactly this text. */
export async function expectReceivedText(client: RawClient, text: string): Promise<void> {
  await vi.waitFor(() => expect(client.text()).toBe(text), waiting)
}

export async function openHubClient(gateway: TestGateway, path: string, headers?: Record<string, string>): Promise<RawClient> {
  const client = await openRawWebSocket(gateway.webSocketOrigin + path, headers)
  client.socket.send(handshake)
  await vi.waitFor(() => expect(client.text()).toContain('{}\x1e'), waiting)
  return client
}

/** Provides a gateway for each test of a file, and closes it after the test. */
export function provideHubGateway() {
  let running: TestGateway | undefined

  afterEach(async () => {
    await running?.close()
    running = undefined
  })

  return {
    async start(options: TestGatewayOptions = {}): Promise<TestGateway> {
      running = await startTestGateway(options)
      return running
    },
  }
}
