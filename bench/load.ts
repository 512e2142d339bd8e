import { setTimeout as delay } from 'node:timers/promises'
import autocannon from 'autocannon'

/** Headers of a browser. */
export const browserHeaders = { accept: 'application/json', 'accept-encoding': 'gzip, deflate, br, zstd' } as const

export interface LoadRequest {
  readonly method?: 'GET' | 'POST'
  readonly path: string
  readonly headers?: Readonly<Record<string, string>>
  /** JSON. */
  readonly body?: string
  /** Path prefix of a second GET, which ends with the answer to this request. Its answer replaces the first one. */
  readonly thenGet?: string
}

export interface LoadOrder {
  readonly port: number
  /** Connections, each with one request at a time. Default 64. */
  readonly clients?: number
  /** The connections share them in this order, and repeat them if `amount` is larger. */
  readonly requests: readonly LoadRequest[]
  /** Number of answers. Default: one for each request. */
  readonly amount?: number
  /** Maximum number of requests per second. Default: no limit. */
  readonly perSecond?: number
  readonly onAnswer?: (request: LoadRequest, body: string, status: number) => void
}

export interface LoadReport {
  /** Number of good answers (2xx). */
  readonly answered: number
  /** Failures by status, or by message for broken connections. */
  readonly failures: Readonly<Record<string, number>>
  readonly elapsedMs: number
  readonly latenciesMs: readonly number[]
  /** Bytes of all answers on the wire. */
  readonly bytes: number
}

const timeoutSeconds = 60
/** Interval at which autocannon checks for the end, in ms. */
const sampleMs = 20

/** Returns what one connection sends. */
const sequenceOf = (requests: readonly LoadRequest[], onAnswer: LoadOrder['onAnswer']): autocannon.Request[] =>
  requests.flatMap((request): autocannon.Request[] => {
    const { method = 'GET', path, headers = {}, body, thenGet } = request
    const report = (status: number, text: string) => onAnswer?.(request, text, status)
    const first: autocannon.Request = {
      method,
      path,
      headers: { ...headers, ...(body !== undefined && { 'content-type': 'application/json' }) },
      ...(body !== undefined && { body }),
    }
    if (thenGet === undefined) return [onAnswer ? { ...first, onResponse: report } : first]
    const store: autocannon.Request['onResponse'] = (_, text, context) => Object.assign(context, { answer: text })
    const second: autocannon.Request = {
      method: 'GET',
      setupRequest: (sent, context) => ({
        ...sent,
        path: `${thenGet}${(context as { answer?: string }).answer}`,
        headers: { ...headers },
      }),
      onResponse: report,
    }
    return [{ ...first, onResponse: store }, second]
  })

/** Prevents that a connection decodes each body as text, which costs 20 times what the server needs for a large compressed answer. */
const ignoreBodies = (connection: autocannon.Client): void => {
  const { pipelinedRequests } = connection as unknown as { pipelinedRequests: { addBody(): void } }
  pipelinedRequests.addBody = () => {}
}

/** Sends requests until each has an answer. */
export const load = (order: LoadOrder): Promise<LoadReport> => {
  const { port, requests, perSecond, onAnswer } = order
  const wanted = order.amount ?? requests.length
  const clients = Math.min(order.clients ?? 64, wanted)
  const answersEach = requests.some(({ thenGet }) => thenGet !== undefined) ? 2 : 1
  // Every connection receives the same number of pairs, because autocannon counts answers and would split a pair.
  const amount = answersEach === 2 ? wanted - (wanted % clients) : wanted
  const [failures, latenciesMs]: [Record<string, number>, number[]] = [{}, []]
  const fail = (reason: string) => {
    failures[reason] = (failures[reason] ?? 0) + 1
  }
  const shares = Math.min(clients, requests.length)
  const startedAtMs = performance.now()
  let [client, answered, bytes, endedAtMs] = [0, 0, 0, startedAtMs]
  return new Promise((resolve, reject) => {
    const running = autocannon(
      {
        url: `http://127.0.0.1:${port}`,
        connections: clients,
        amount: amount * answersEach,
        timeout: timeoutSeconds,
        sampleInt: sampleMs,
        ...(perSecond !== undefined && { overallRate: perSecond }),
        setupClient(connection) {
          const share = client++ % shares
          if (!onAnswer && answersEach === 1) ignoreBodies(connection)
          connection.setRequests(
            sequenceOf(
              requests.filter((_, index) => index % shares === share),
              onAnswer,
            ),
          )
        },
      },
      (error) => {
        if (error) return reject(error)
        const missing = amount * answersEach - answered - Object.values(failures).reduce((total, value) => total + value, 0)
        if (missing > 0) failures['no answer'] = missing
        resolve({ answered: answered / answersEach, failures, elapsedMs: endedAtMs - startedAtMs, latenciesMs, bytes })
      },
    )
    running.on('response', (_, status, size, elapsedMs) => {
      if (status < 200 || status > 299) return fail(String(status))
      answered += 1
      bytes += size
      endedAtMs = performance.now()
      latenciesMs.push(elapsedMs)
    })
    running.on('reqError', (error) => fail(error.message))
  })
}

/** Maximum number of groups of clients. Each begins its second at another moment. */
const maxGroups = 20

/** Sends a number of requests per second, spread over each second, as many players do. */
export const pace = async (order: LoadOrder & { readonly perSecond: number }, seconds: number): Promise<LoadReport> => {
  const rate = Math.max(1, Math.round(order.perSecond))
  const groups = Math.min(maxGroups, rate)
  const reports = await Promise.all(
    Array.from({ length: groups }, async (_, group) => {
      await delay((group * 1000) / groups)
      const perSecond = Math.floor(((group + 1) * rate) / groups) - Math.floor((group * rate) / groups)
      const requests = order.requests.filter((__, index) => order.requests.length < groups || index % groups === group)
      return load({ ...order, requests, perSecond, clients: Math.ceil(perSecond / 4), amount: perSecond * seconds })
    }),
  )
  return mergeReports(reports)
}

export const mergeReports = (reports: readonly LoadReport[]): LoadReport => {
  const failures: Record<string, number> = {}
  for (const [reason, number] of reports.flatMap((report) => Object.entries(report.failures)))
    failures[reason] = (failures[reason] ?? 0) + number
  return {
    answered: reports.reduce((total, report) => total + report.answered, 0),
    bytes: reports.reduce((total, report) => total + report.bytes, 0),
    elapsedMs: Math.max(...reports.map((report) => report.elapsedMs)),
    latenciesMs: reports.flatMap((report) => report.latenciesMs),
    failures,
  }
}

export const ratePerSecond = ({ answered, elapsedMs }: LoadReport): number => (answered / elapsedMs) * 1000

export const faultsOf = (job: string, reports: readonly LoadReport[]): string[] =>
  Object.entries(mergeReports(reports).failures).map(([reason, number]) => `${job}: ${number} requests failed: ${reason}`)
