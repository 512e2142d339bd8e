import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { json } from 'node:stream/consumers'
import type { ContainerAddress } from '@capstan/challenge-instance/container-address'
import { pathOfEventsRequest } from '@capstan/challenge-instance/events-request'
import { type LogRequest, pathOfLogRequest } from '@capstan/challenge-instance/log-request'
import { pathOfTerminalRequest } from '@capstan/challenge-instance/terminal-request'
import type { ContainerEvent } from '@capstan/contract/admin'
import { hasErrorStatus } from '@capstan/kubernetes/client'
import { openSocket } from '@capstan/kubernetes/sockets'
import type { WebSocket } from 'ws'

/** Maximum time until the operator answers, in ms. */
const answerMs = 10_000

function send(address: URL, token: string, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = address.protocol === 'https:' ? httpsRequest : httpRequest
    const headers = { authorization: `Bearer ${token}` }
    const asking = request(address, { headers, signal, agent: false, timeout: answerMs }, (answer) => {
      // Disable the timeout now, because a container may write no output for a long time.
      asking.setTimeout(0)
      answer.on('error', () => {})
      resolve(answer)
    })
    asking.on('error', reject)
    asking.on('timeout', () => asking.destroy(new Error(`The operator did not answer within ${answerMs} ms`)))
    asking.end()
  })
}

/** Reads output and events of containers, and opens terminals, through the operator. The api has no right to read pods. ADR 73. */
export function createOperatorClient({ url, token }: Readonly<{ url: string; token: string }>) {
  /** @returns undefined if there is no such container @throws if the operator refuses or does not answer */
  async function get(path: string, signal: AbortSignal): Promise<Readable | undefined> {
    const answer = await send(new URL(path, url), token, signal)
    if (answer.statusCode === 200) return answer
    answer.resume()
    if (answer.statusCode === 404) return undefined
    throw new Error(`The operator answered with ${answer.statusCode}`)
  }

  return {
    openLog: (request: LogRequest, signal: AbortSignal) => get(pathOfLogRequest(request), signal),
    /** @returns undefined if there is no such container @throws if the operator refuses or does not answer */
    async openTerminal(address: ContainerAddress): Promise<WebSocket | undefined> {
      try {
        return await openSocket(new URL(pathOfTerminalRequest(address), url), [], {
          headers: { authorization: `Bearer ${token}` },
        })
      } catch (error) {
        if (hasErrorStatus(error, 404)) return undefined
        throw error
      }
    },
    async listEvents(address: ContainerAddress): Promise<ContainerEvent[] | undefined> {
      const answer = await get(pathOfEventsRequest(address), AbortSignal.timeout(answerMs))
      return answer && ((await json(answer)) as ContainerEvent[])
    },
  }
}
