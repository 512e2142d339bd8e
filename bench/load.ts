import autocannon from 'autocannon'
import { type BenchRequest, headersOf } from './ask.ts'

export type Load = Readonly<{
  /** The connections take the next request from this list, and begin again at its end. */
  requests: readonly BenchRequest[]
  /** Number of requests. Default: each request once. */
  amount?: number
  /** Number of connections, each with one request at a time. Default 64. */
  clients?: number
}>

const timeoutSeconds = 60
/** Interval at which autocannon checks for the end, in ms. */
const sampleMs = 20

/** Skips the decoding of bodies. For a large compressed answer it costs 20 times what the server needs. */
function ignoreBodies(connection: autocannon.Client): void {
  const { pipelinedRequests } = connection as unknown as { pipelinedRequests: { addBody(): void } }
  pipelinedRequests.addBody = () => {}
}

export async function load({ port }: Readonly<{ port: number }>, order: Load): Promise<void> {
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
