import { ownOperations } from '@capstan/contract/operations'
import { afterEach } from 'vitest'

export type ReceivedCall = Readonly<{
  method: string
  address: string
  body: unknown
}>

type Answer = Readonly<{ status?: number; body?: unknown; headers?: Record<string, string> }>

type Answers = Readonly<Record<string, Answer | ((call: ReceivedCall) => Answer)>>

const { fetch: realFetch, XMLHttpRequest: RealRequest } = globalThis

afterEach(() => {
  globalThis.fetch = realFetch
  globalThis.XMLHttpRequest = RealRequest
})

/**
 * Returns the response to the session call. A test defines only the response to the profile call, and this function converts that
 * response.
 */
function sessionOf(answers: Answers) {
  return (call: ReceivedCall) => {
    const profile = answers['GET /api/account/profile']
    const answer = typeof profile === 'function' ? profile(call) : profile
    if (answer?.status === 401) return { body: { profile: null } }
    return answer && (answer.status ?? 200) === 200 ? { ...answer, body: { profile: answer.body } } : answer
  }
}

/**
 * Replaces the server in a test. The keys of `answers` have the form `METHOD /path`. All other calls receive status 404.
 * @returns the received calls, in the order of their arrival
 */
export function simulateServer(answers: Answers): ReceivedCall[] {
  const received: ReceivedCall[] = []
  globalThis.fetch = async (input, init = {}) => {
    const call = {
      method: init.method ?? 'GET',
      address: String(input),
      body: typeof init.body === 'string' ? JSON.parse(init.body) : undefined,
    }
    received.push(call)
    const path = call.address.split('?')[0]
    const found =
      answers[`${call.method} ${path}`] ?? (path === ownOperations.getOwnSession.path ? sessionOf(answers) : undefined)
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

/**
 * Replaces the server for uploads in a test.
 * @param given response to all uploads, or a function that returns the response for the address of an upload
 * @returns the file names of each upload, in the order of the uploads
 */
export function simulateUploads(given: Answer | ((address: string) => Answer)): string[][] {
  const received: string[][] = []
  class Request extends RealRequest {
    #answer: Answer = {}
    override get status() {
      return this.#answer.status ?? 200
    }
    override get responseText() {
      return JSON.stringify(this.#answer.body)
    }
    override open(_method: string, address: string | URL) {
      this.#answer = typeof given === 'function' ? given(String(address)) : given
    }
    override setRequestHeader() {}
    override send(form: FormData) {
      received.push([...form.values()].map((file) => (file as File).name))
      queueMicrotask(() => this.dispatchEvent(new ProgressEvent('load')))
    }
  }
  globalThis.XMLHttpRequest = Request
  return received
}
