import { afterEach } from 'vitest'

export interface ReceivedCall {
  readonly method: string
  readonly address: string
  readonly body: unknown
}

type Answer = { readonly status?: number; readonly body?: unknown; readonly headers?: Record<string, string> }

const realFetch = globalThis.fetch

afterEach(() => {
  globalThis.fetch = realFetch
})

/**
 * Answers the calls of a test at the edge of the browser, by `METHOD /path`. What is not listed is 404.
 * Gives back what was asked, in order.
 */
export function answering(answers: Readonly<Record<string, Answer | ((call: ReceivedCall) => Answer)>>): ReceivedCall[] {
  const received: ReceivedCall[] = []
  globalThis.fetch = async (input, init = {}) => {
    const call = {
      method: init.method ?? 'GET',
      address: String(input),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
    }
    received.push(call)
    const path = call.address.split('?')[0]
    const found = answers[`${call.method} ${path}`]
    const {
      status = 200,
      body,
      headers = {},
    } = (typeof found === 'function' ? found(call) : found) ?? {
      status: 404,
      body: { title: 'There is nothing at this address', status: 404, code: 'route.not-found' },
    }
    return new Response(body === undefined ? '' : JSON.stringify(body), { status, headers })
  }
  return received
}
