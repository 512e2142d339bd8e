import { request as httpRequest, type IncomingMessage } from 'node:http'
import { request as httpsRequest } from 'node:https'
import type { Readable } from 'node:stream'
import { type LogRequest, logRequestPath } from '@capstan/challenge-instance/log-request'

/** Maximum time until the operator answers, in ms. */
const answerMs = 10_000

function send(address: URL, token: string, signal: AbortSignal): Promise<IncomingMessage> {
  return new Promise((resolve, reject) => {
    const request = address.protocol === 'https:' ? httpsRequest : httpRequest
    const headers = { authorization: `Bearer ${token}` }
    const asking = request(address, { headers, signal, agent: false, timeout: answerMs }, (answer) => {
      // No limit applies after the answer has begun, because a container may write nothing for a long time.
      asking.setTimeout(0)
      answer.on('error', () => {})
      resolve(answer)
    })
    asking.on('error', reject)
    asking.on('timeout', () => asking.destroy(new Error(`The operator did not answer within ${answerMs} ms`)))
    asking.end()
  })
}

/** Opens the output of containers, which the operator reads. The api has no right to read pods. ADR 73. */
export function createOperatorLogs({ url, token }: { readonly url: string; readonly token: string }) {
  return {
    /** @returns undefined if there is no such container @throws if the operator refuses or does not answer */
    async open(request: LogRequest, signal: AbortSignal): Promise<Readable | undefined> {
      const answer = await send(new URL(logRequestPath(request), url), token, signal)
      if (answer.statusCode === 200) return answer
      answer.resume()
      if (answer.statusCode === 404) return undefined
      throw new Error(`The operator answered with ${answer.statusCode}`)
    },
  }
}
