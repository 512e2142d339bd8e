import { request } from 'node:http'
import type { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'

/** Answer to a request that travelled over one connection to a challenge. */
type SolveResponse = Readonly<{
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  text(): string
}>

/** All that a solver may use: what a player has, and nothing of the platform. */
export type SolveContext = Readonly<{
  /** The challenge's text, Markdown. */
  description: string
  /** The file handed to the team. Rejects if the challenge has none. */
  attachment(): Promise<Uint8Array>
  /** A new TCP connection to the team's instance. Rejects if the challenge has no container. */
  connect(): Promise<Duplex>
  /** One HTTP request to the instance, over a connection of its own. */
  fetch(path: string, init?: SolveRequest): Promise<SolveResponse>
}>

type SolveRequest = Readonly<{
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string
}>

/** What each `solve.ts` exports as `solve`: finds the flag with a player's means. */
export type Solve = (context: SolveContext) => Promise<string>

/** Means that differ between challenge types; leave out what a challenge does not have. */
export type SolveMeans = Readonly<{
  description: string
  attachment?: (() => Promise<Uint8Array>) | undefined
  connect?: (() => Promise<Duplex>) | undefined
}>

/** Creates the context of a solver. */
export function createSolveContext({ description, attachment, connect }: SolveMeans): SolveContext {
  const open = connect ?? (() => Promise.reject(new Error('This challenge has no instances')))
  return {
    description,
    attachment: attachment ?? (() => Promise.reject(new Error('This challenge has no attachment'))),
    connect: open,
    fetch: async (path, init) => fetchOver(await open(), path, init),
  }
}

/** Loads the solver of a demo challenge. */
export async function loadSolver(slug: string): Promise<Solve> {
  const module = (await import(new URL(`./${slug}/solve.ts`, import.meta.url).href)) as { solve: Solve }
  return module.solve
}

/** Makes one HTTP/1.1 request on an open connection, which is closed afterwards. */
async function fetchOver(connection: Duplex, path: string, init: SolveRequest = {}): Promise<SolveResponse> {
  try {
    return await new Promise<SolveResponse>((resolve, reject) => {
      const outgoing = request(
        {
          method: init.method ?? 'GET',
          path,
          headers: { host: 'instance', ...init.headers },
          createConnection: () => connection,
        },
        (incoming) => {
          buffer(incoming).then(
            (body) => resolve({ status: incoming.statusCode ?? 0, headers: incoming.headers, text: () => body.toString('utf8') }),
            reject,
          )
        },
      )
      outgoing.on('error', reject)
      outgoing.end(init.body)
    })
  } finally {
    connection.destroy()
  }
}
