import { Limits } from '@capstan/contract/limits'
import type { BodyOf, Operation, ParamsOf, QueryOf, ResponseOf } from '@capstan/contract/operation'
import type { ProblemCode } from '@capstan/contract/problems'
import { learnServerTime, serverNow } from './clock.ts'
import { takeEarlyCall } from './early/early-calls.ts'
import type { EarlyCall } from './early/early-loads.ts'
import { trackPendingCall } from './quiet.ts'
import { retryIfResponseLost } from './repeat.ts'

/**
 * Error of a call that the server refused. `message` is the server's text in the visitor's language. `status` is the number in the
 * response body. It may differ from `httpStatus`, for example 10001. Code that handles specific errors must use `code`.
 */
export class ApiError extends Error {
  readonly code: ProblemCode | undefined
  readonly status: number
  readonly httpStatus: number
  /** JSON pointer to the invalid member, or a short note. */
  readonly detail: string | undefined
  readonly requestId: string | undefined
  /** Required wait in seconds. Only present for status 429. */
  readonly retryAfterSeconds: number | undefined

  constructor(problem: {
    title: string
    code?: ProblemCode | undefined
    status: number
    httpStatus: number
    detail?: string | undefined
    requestId?: string | undefined
    retryAfterSeconds?: number | undefined
  }) {
    super(problem.title)
    this.name = 'ApiError'
    this.code = problem.code
    this.status = problem.status
    this.httpStatus = problem.httpStatus
    this.detail = problem.detail
    this.requestId = problem.requestId
    this.retryAfterSeconds = problem.retryAfterSeconds
  }
}

export type TransportFailure = 'network' | 'aborted' | 'timeout' | 'protocol' | 'adapter'

/** Error of a call that got no response. */
export class TransportError extends Error {
  readonly kind: TransportFailure
  /** Timeout in ms, if `kind` is `timeout`. */
  readonly timeoutMs: number | undefined

  constructor(kind: TransportFailure, message: string, options?: ErrorOptions & { readonly timeoutMs?: number }) {
    super(message, options)
    this.timeoutMs = options?.timeoutMs
    this.name = 'TransportError'
    this.kind = kind
  }
}

/** True if the call may not have reached a working server, or if its response was lost. */
export function isResponseLost(error: unknown): boolean {
  return error instanceof ApiError
    ? [502, 503, 504].includes(error.httpStatus)
    : error instanceof TransportError && (error.kind === 'network' || error.kind === 'timeout')
}

type Part<Name extends string, Value> = Value extends undefined
  ? unknown
  : Record<never, never> extends Value
    ? { [Key in Name]?: Value }
    : { [Key in Name]: Value }

/** Values for the placeholders of a call's address. */
export type AddressInput<Op extends Operation> = Part<'params', ParamsOf<Op>> & Part<'query', QueryOf<Op>>

type CallOptions = Readonly<{
  signal?: AbortSignal
  timeoutMs?: number
  /** True to send the call even if the user leaves the page. Use it only for small bodies. */
  keepalive?: boolean
  headers?: Readonly<Record<string, string>>
}>

/** Input of a call, as its contract defines it: `params`, `query` and `body`. */
export type CallInput<Op extends Operation> = AddressInput<Op> & Part<'body', BodyOf<Op>> & CallOptions

export type UploadInput<Op extends Operation> = AddressInput<Op> &
  Readonly<{
    files: readonly File[]
    signal?: AbortSignal
    /** Reports the uploaded share, from 0 to 1. */
    onProgress?: (share: number) => void
  }>

type Arguments<Input> = Record<never, never> extends Input ? [input?: Input] : [input: Input]

type LooseInput = CallOptions &
  Readonly<{
    params?: Record<string, string | number>
    query?: Record<string, unknown>
    body?: unknown
  }>

/** Returns the address of a call with its parameters. It is also the cache key of a read. */
export function addressOfCall<Op extends Operation>(operation: Op, ...[input]: Arguments<AddressInput<Op>>): string {
  const { params = {}, query = {} } = (input ?? {}) as LooseInput
  const path = operation.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(String(params[name])))
  const pairs = Object.entries(query).flatMap(([name, value]) =>
    value === undefined || value === null ? [] : [[name, String(value)] as [string, string]],
  )
  return pairs.length === 0 ? path : `${path}?${new URLSearchParams(pairs)}`
}

const defaultTimeoutMs = 60_000

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

function optionalString(value: unknown) {
  return typeof value === 'string' ? value : undefined
}

/** Returns the seconds in a `Retry-After` header, or 60 if there is none. */
function retryAfter(header: string | null) {
  const seconds = Number(header)
  return header !== null && Number.isFinite(seconds) && seconds > 0 ? Math.ceil(seconds) : 60
}

function problemOf(httpStatus: number, statusText: string, text: string, retryAfterHeader: string | null): ApiError {
  const body = parse(text)
  const fields = isRecord(body) ? body : {}
  return new ApiError({
    title: optionalString(fields.title) ?? (statusText || 'Unknown error'),
    code: optionalString(fields.code) as ProblemCode | undefined,
    status: typeof fields.status === 'number' ? fields.status : httpStatus,
    httpStatus,
    detail: optionalString(fields.detail),
    requestId: optionalString(fields.requestId),
    retryAfterSeconds: httpStatus === 429 ? retryAfter(retryAfterHeader) : undefined,
  })
}

async function refusalOf(response: Response): Promise<ApiError> {
  return problemOf(response.status, response.statusText, await response.text(), response.headers.get('Retry-After'))
}

function transportErrorOf(error: unknown, signal: AbortSignal | undefined): TransportError {
  if (signal?.aborted) return new TransportError('aborted', 'Request aborted', { cause: error })
  if (error instanceof TypeError && /protocol|scheme/i.test(error.message))
    return new TransportError('protocol', 'Unsupported protocol', { cause: error })
  return new TransportError('network', 'Network Error', { cause: error })
}

function parse(text: string): unknown {
  if (text === '') return undefined
  try {
    return JSON.parse(text)
  } catch {
    return text
  }
}

/**
 * Delays before the retries of a read whose response was lost, in ms. The delays are long enough for a new server process to
 * replace a stopped one.
 */
const defaultReadPausesMs = [250, 1_000, 2_000]

/**
 * True if the response of a read was lost and the read should be retried. A read is not retried after a timeout, because the user
 * has waited long enough.
 */
function isLostRead(error: unknown): boolean {
  return isResponseLost(error) && !(error instanceof TransportError && error.kind === 'timeout')
}

/**
 * Maximum time between the first attempt of a write and its repetition, in ms. Within this time, the server refuses to start an
 * instance that was just stopped, so that a repeated stop never ends a newer instance.
 */
const maxWriteAgeMs = Limits.instanceCooldownSeconds * 1_000

export type HttpDeps = Readonly<{
  fetch: typeof fetch | undefined
  newRequest: () => XMLHttpRequest
  language: () => string
  cookies: () => string
  readPausesMs?: readonly number[]
  now?: () => number
  takeEarly?: (address: string) => EarlyCall | undefined
}>

/**
 * Last responses by address. If the ETag has not changed, the client returns the stored object and does not parse the response
 * again.
 */
function createKnownAnswers() {
  const known = new Map<string, Readonly<{ etag: string; data: WeakRef<object> }>>()
  return async (address: string, response: Response): Promise<unknown> => {
    const etag = response.headers.get('ETag')
    const before = known.get(address)
    const same = etag !== null && before?.etag === etag ? before.data.deref() : undefined
    if (same) {
      void response.body?.cancel()
      return same
    }
    const data = parse(await response.text())
    if (etag !== null && typeof data === 'object' && data !== null) known.set(address, { etag, data: new WeakRef(data) })
    else known.delete(address)
    return data
  }
}

export function createHttpClient(deps: HttpDeps) {
  /**
   * Sends a read, and retries it if its response is lost. While the browser is offline, the read fails immediately, because pages
   * read again when the connection returns.
   */
  const repeatingRead = <Result>(read: () => Promise<Result>, signal: AbortSignal | undefined): Promise<Result> =>
    retryIfResponseLost(read, {
      isResponseLost: isLostRead,
      pausesMs: deps.readPausesMs ?? defaultReadPausesMs,
      offlineMs: 0,
      signal,
    })
  const now = deps.now ?? serverNow
  /**
   * Sends a write that may be repeated, and repeats it if its response is lost.
   * @param write function that sends the write. Its parameter is true if an earlier attempt may have succeeded
   */
  const repeatingWrite = <Result>(
    write: (isRepeated: boolean) => Promise<Result>,
    signal: AbortSignal | undefined,
  ): Promise<Result> => {
    const sentAt = now()
    let isRepeated = false
    return retryIfResponseLost(() => write(isRepeated), {
      isResponseLost: (error) => isLostRead(error) && now() - sentAt < maxWriteAgeMs,
      pausesMs: deps.readPausesMs ?? defaultReadPausesMs,
      offlineMs: 0,
      signal,
      onRepeat: () => {
        isRepeated = true
      },
    })
  }
  const read = createKnownAnswers()
  const headers = (): Record<string, string> => {
    const token = /(?:^|;\s*)XSRF-TOKEN=([^;]*)/.exec(deps.cookies())?.[1]
    return {
      Accept: 'application/json',
      'Accept-Language': deps.language(),
      ...(token && { 'X-XSRF-TOKEN': decodeURIComponent(token) }),
    }
  }

  async function ask<Op extends Operation>(
    operation: Op,
    input: CallInput<Op> | undefined,
  ): Promise<Readonly<{ data: ResponseOf<Op>; headers: Headers }>> {
    const { body, signal, timeoutMs = defaultTimeoutMs, keepalive = false, headers: more } = (input ?? {}) as LooseInput
    if (!deps.fetch) throw new TransportError('adapter', 'There is no suitable adapter to dispatch the request')
    const timeout = AbortSignal.timeout(timeoutMs)
    const init: RequestInit = {
      method: operation.method,
      headers: { ...headers(), ...(body !== undefined && { 'Content-Type': 'application/json' }), ...more },
      keepalive,
      credentials: 'same-origin',
      signal: signal ? AbortSignal.any([signal, timeout]) : timeout,
      ...(body !== undefined && { body: JSON.stringify(body) }),
    }
    try {
      const address = addressOfCall(operation, ...([input] as unknown as Arguments<AddressInput<Op>>))
      const early = operation.method === 'GET' ? deps.takeEarly?.(address) : undefined
      if (early) init.signal?.addEventListener('abort', early.abort)
      const sentAt = early?.sentAt ?? serverNow()
      const response = await (early?.answer ?? deps.fetch(address, init))
      learnServerTime(response.headers.get('Date'), sentAt)
      if (!response.ok) throw await refusalOf(response)
      return { data: (await read(address, response)) as ResponseOf<Op>, headers: response.headers }
    } catch (error) {
      if (error instanceof ApiError) throw error
      if (timeout.aborted) throw new TransportError('timeout', `timeout of ${timeoutMs} ms exceeded`, { cause: error, timeoutMs })
      throw transportErrorOf(error, signal)
    }
  }

  /** Sends a `DELETE` again. If an earlier attempt has deleted the item, the server responds with status 404. */
  async function deleteAgain<Op extends Operation>(operation: Op, input: CallInput<Op> | undefined) {
    try {
      return await ask(operation, input)
    } catch (error) {
      if (!(error instanceof ApiError && error.httpStatus === 404)) throw error
      return { data: undefined as ResponseOf<Op>, headers: new Headers() }
    }
  }

  /**
   * Sends a call, and returns the data of the response with its headers. Repeats a read, and a write that may be repeated, if its
   * response is lost. Throws like `call`.
   */
  function callWithHeaders<Op extends Operation>(operation: Op, ...[input]: Arguments<CallInput<Op>>) {
    const work = () => ask(operation, input)
    const signal = (input as LooseInput | undefined)?.signal
    if (operation.method === 'GET') return trackPendingCall(repeatingRead(work, signal))
    if (!operation.repeatable) return trackPendingCall(work())
    const write = (isRepeated: boolean) => (isRepeated && operation.method === 'DELETE' ? deleteAgain(operation, input) : work())
    return trackPendingCall(repeatingWrite(write, signal))
  }

  /** Sends a call. Throws `ApiError` if the server refuses it, and `TransportError` if there is no response. */
  async function call<Op extends Operation>(operation: Op, ...input: Arguments<CallInput<Op>>): Promise<ResponseOf<Op>> {
    return (await callWithHeaders(operation, ...input)).data
  }

  /**
   * Requests a file, and returns the response before its body is read. Retries a GET request if its response is lost. Throws like
   * `call`.
   */
  function openFile(address: string, signal: AbortSignal, method: 'GET' | 'POST' = 'GET'): Promise<Response> {
    const open = async () => {
      if (!deps.fetch) throw new TransportError('adapter', 'There is no suitable adapter to dispatch the request')
      try {
        const response = await deps.fetch(address, {
          method,
          headers: { ...headers(), Accept: '*/*' },
          credentials: 'same-origin',
          signal,
        })
        if (!response.ok) throw await refusalOf(response)
        return response
      } catch (error) {
        throw error instanceof ApiError ? error : transportErrorOf(error, signal)
      }
    }
    return method === 'GET' ? repeatingRead(open, signal) : open()
  }

  /** Uploads files and reports the progress. Throws like `call`. */
  function upload<Op extends Operation>(operation: Op, input: UploadInput<Op>): Promise<ResponseOf<Op>> {
    const form = new FormData()
    for (const file of input.files) form.append(operation.upload?.field ?? 'file', file, file.name)
    const request = deps.newRequest()
    request.open(operation.method, addressOfCall(operation, ...([input] as unknown as Arguments<AddressInput<Op>>)))
    for (const [name, value] of Object.entries(headers())) request.setRequestHeader(name, value)
    return new Promise((resolve, reject) => {
      request.upload.onprogress = (event) => event.lengthComputable && input.onProgress?.(event.loaded / event.total)
      request.onload = () =>
        request.status >= 200 && request.status < 300
          ? resolve(parse(request.responseText) as ResponseOf<Op>)
          : reject(problemOf(request.status, request.statusText, request.responseText, request.getResponseHeader('Retry-After')))
      request.onerror = () => reject(new TransportError('network', 'Network Error'))
      request.onabort = () => reject(new TransportError('aborted', 'Request aborted'))
      input.signal?.addEventListener('abort', () => request.abort(), { once: true })
      request.send(form)
    })
  }

  return { call, callWithHeaders, upload, openFile }
}

export const { call, callWithHeaders, upload, openFile } = createHttpClient({
  fetch: typeof fetch === 'function' ? (input, init) => globalThis.fetch(input, init) : undefined,
  newRequest: () => new XMLHttpRequest(),
  language: () => document.documentElement.lang || 'en-US',
  cookies: () => document.cookie,
  takeEarly: takeEarlyCall,
})
