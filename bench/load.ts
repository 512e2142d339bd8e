import autocannon from 'autocannon'
import { type BenchRequest, headersOf } from './ask.ts'

export type Load = Readonly<{
  /** Requests to send. After the last request, the connections start again with the first. */
  requests: readonly BenchRequest[]
  /** Number of requests. Default: each request once. */
  amount?: number
  /** Number of connections, each with one request at a time. Default 64. */
  clients?: number
}>

const timeoutSeconds = 60
/** Interval in ms at which autocannon checks if the load is complete. */
const sampleMs = 20

/** Stops autocannon from decoding bodies. Decoding a large compressed response costs 20 times as much as serving it. */
function ignoreBodies(connection: autocannon.Client): void {
  const { pipelinedRequests } = connection as unknown as { pipelinedRequests: { addBody(): void } }
  pipelinedRequests.addBody = () => {}
}

export async function sendLoad({ port }: Readonly<{ port: number }>, order: Load): Promise<void> {
  const { requests, amount = requests.length, clients = 64 } = order
  let taken = 0
  const takeNext = (empty: autocannon.Request): autocannon.Request => {
    const request = requests[taken++ % requests.length] as BenchRequest
    return { ...empty, ...request, headers: headersOf(request) }
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
