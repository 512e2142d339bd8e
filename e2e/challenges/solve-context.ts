import { request } from 'node:http'
import type { Duplex } from 'node:stream'
import { buffer } from 'node:stream/consumers'

/** Response to an HTTP request that was sent over a connection to a challenge. */
type SolveResponse = Readonly<{
  status: number
  headers: Readonly<Record<string, string | string[] | undefined>>
  text(): string
}>

/** Everything that a solver can use. It has the same access as a player, and no access to internals of the platform. */
export type SolveContext = Readonly<{
  /** Text of the challenge, as Markdown. */
  description: string
  /** Returns the team's file for the challenge. Rejects if the challenge has no file. */
  attachment(): Promise<Uint8Array>
  /** Opens a TCP connection to the team's instance. Rejects if the challenge has no container. */
  connect(): Promise<Duplex>
  /** Sends one HTTP request to the instance, over a separate connection. */
  fetch(path: string, init?: SolveRequest): Promise<SolveResponse>
}>

type SolveRequest = Readonly<{
  method?: string
  headers?: Readonly<Record<string, string>>
  body?: string
}>

/** Type of the function `solve` in each `solve.ts`. It finds the flag like a player. */
export type Solve = (context: SolveContext) => Promise<string>

/**
 * Functions and texts from which the context of `solve` is created. Omit `attachment` if the challenge has no file. Omit `connect`
 * if the challenge has no container.
 */
export type SolveMeans = Readonly<{
  description: string
  attachment?: (() => Promise<Uint8Array>) | undefined
  connect?: (() => Promise<Duplex>) | undefined
}>

export function createSolveContext({ description, attachment, connect }: SolveMeans): SolveContext {
  const open = connect ?? (() => Promise.reject(new Error('This challenge has no instances')))
  return {
    description,
    attachment: attachment ?? (() => Promise.reject(new Error('This challenge has no attachment'))),
    connect: open,
    fetch: async (path, init) => fetchOver(await open(), path, init),
  }
}

export async function loadSolver(slug: string): Promise<Solve> {
  const module = (await import(new URL(`./${slug}/solve.ts`, import.meta.url).href)) as { solve: Solve }
  return module.solve
}

/** Sends one HTTP/1.1 request on an open connection and then closes it. */
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
