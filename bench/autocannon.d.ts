/** The part of autocannon that the bench uses. */
declare module 'autocannon' {
  namespace autocannon {
    interface Request {
      method?: string
      path?: string
      headers?: Readonly<Record<string, string>>
      body?: string
      setupRequest?: (request: Request, context: object) => Request
      onResponse?: (status: number, body: string, context: object) => void
    }

    interface Client {
      setRequests(requests: readonly Request[]): void
    }

    interface Running {
      on(event: 'response', listener: (client: Client, status: number, bytes: number, elapsedMs: number) => void): void
      on(event: 'reqError', listener: (error: Error) => void): void
    }

    interface Options {
      url: string
      connections: number
      amount: number
      timeout: number
      sampleInt: number
      overallRate?: number
      setupClient(client: Client): void
    }
  }

  function autocannon(options: autocannon.Options, done: (error: Error | null) => void): autocannon.Running
  export default autocannon
}
