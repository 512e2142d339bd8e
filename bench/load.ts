import autocannon from 'autocannon'
import { type BenchRequest, headersOfRequest } from './ask.ts'

export type Load = Readonly<{
  /** List of requests to send. If `amount` is greater than the length of the list, the list is sent repeatedly. */
  requests: readonly BenchRequest[]
  /** Number of requests to send. By default, the length of the list. */
  amount?: number
  /** Number of connections, each with one pending request at a time. Default: 64. */
  clients?: number
}>

const timeoutSeconds = 60
/** Interval at which autocannon checks whether the load is complete, in ms. */
const sampleMs = 20

/** Prevents autocannon from decoding bodies. Decoding a large compressed response costs 20 times as much as serving it. */
function ignoreBodies(connection: autocannon.Client): void {
  const { pipelinedRequests } = connection as unknown as { pipelinedRequests: { addBody(): void } }
  pipelinedRequests.addBody = () => {}
}

export async function sendLoad({ port }: Readonly<{ port: number }>, order: Load): Promise<void> {
  const { requests, amount = requests.length, clients = 64 } = order
  let taken = 0
  const takeNext = (empty: autocannon.Request): autocannon.Request => {
    const request = requests[taken++ % requests.length] as BenchRequest
    return { ...empty, ...request, headers: headersOfRequest(request) }
  }
  const result = await autocannon({
    url: `http://127.0.0.1:${port}`,
    connections: Math.min(clients, amount),
    amount,
    timeout: timeoutSeconds,
    sampleInt: sampleMs,
    requests: [{ setupRequest: takeNext }],
    setupClient: ignoreBodies,
  })
  const { '2xx': answered, errors, statusCodeStats } = result
  if (answered !== amount || errors > 0)
    throw new Error(
      `${amount - answered} of ${amount} requests failed: ${JSON.stringify(statusCodeStats)}, ${errors} lost connections`,
    )
}
