import { Readable } from 'node:stream'
import { setTimeout as sleep } from 'node:timers/promises'
import type { BodyOf, Operation, ParamsOf, QueryOf, ResponseOf } from '@capstan/contract/operation'
import { FormDataEncoder } from 'form-data-encoder'

export type UploadFile = Readonly<{
  name: string
  content: Blob
  type?: string
}>

type Argument<Key extends string, Value> = Value extends undefined
  ? { readonly [K in Key]?: undefined }
  : { readonly [K in Key]: Value }

/** Arguments of a call, as the contract defines them for the operation. */
export type CallArguments<Op extends Operation> = Argument<'params', ParamsOf<Op>> &
  Argument<'body', BodyOf<Op>> & { readonly query?: QueryOf<Op> } & (Op['upload'] extends object
    ? { readonly files: readonly UploadFile[] }
    : { readonly files?: undefined })

type Arguments<Op extends Operation> =
  Record<string, never> extends CallArguments<Op> ? [CallArguments<Op>?] : [CallArguments<Op>]

/** Platform to which the files are applied. Calls throw `Refused` if the platform refuses them. */
export interface Platform {
  call<const Op extends Operation>(operation: Op, ...args: Arguments<Op>): Promise<ResponseOf<Op>>
  /** Downloads a path of the site, such as `/assets/{hash}/{name}`, in pieces. */
  download(path: string): Promise<AsyncIterable<Uint8Array>>
}

/** Error for a call that the platform refused. It contains neither the token nor the request. */
export class Refused extends Error {
  readonly status: number
  readonly code: string | undefined

  /** @param detail sentence from the platform about a faulty archive, or advice about the token */
  constructor(call: string, status: number, title: string, code: string | undefined, detail?: string) {
    super(`${call}: ${title} (${status}${code === undefined ? '' : `, ${code}`})${detail === undefined ? '' : `: ${detail}`}`)
    this.name = 'Refused'
    this.status = status
    this.code = code
  }
}

export type Connection = Readonly<{
  url: string
  token: string
}>

/** Maximum duration of one wait for a busy platform, in seconds, and maximum number of waits per call. */
const maxWaitSeconds = 60
const maxWaits = 20

type LooseArguments = Readonly<{
  params?: unknown
  query?: object | undefined
  body?: unknown
  files?: readonly UploadFile[] | undefined
}>

function addressOf(operation: Operation, { params, query }: LooseArguments): string {
  const path = operation.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String((params as Record<string, unknown>)[name])),
  )
  const search = new URLSearchParams()
  for (const [name, value] of Object.entries(query ?? {})) if (value !== undefined) search.set(name, String(value))
  return search.size > 0 ? `${path}?${search}` : path
}

type Body = Readonly<{ headers: Readonly<Record<string, string>>; content: string | Readable }>

/**
 * Returns a function that creates the request body for each attempt of a call. A form is streamed, because fetch would otherwise
 * load the files of the form into memory.
 */
function bodyOf(operation: Operation, { body, files }: LooseArguments): (() => Body) | undefined {
  if (operation.upload === undefined) {
    if (body === undefined) return undefined
    const content = JSON.stringify(body)
    return () => ({ headers: { 'content-type': 'application/json' }, content })
  }
  const form = new FormData()
  for (const { name, content, type = 'application/octet-stream' } of files ?? [])
    form.append(operation.upload.field, new Blob([content], { type }), name)
  const encoder = new FormDataEncoder(form)
  return () => ({ headers: { ...encoder.headers }, content: Readable.from(encoder) })
}

function problemOf(text: string): { title?: unknown; code?: unknown; detail?: unknown } {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    // The response is a page of a proxy, so only its status is used.
    return {}
  }
}

const renewToken =
  'Create a new token under Administration → API tokens, and pass it to `capstan login`, or set CAPSTAN_TOKEN in CI.'

/** Advice about a refused token, by the code of the error. */
const tokenAdvice: Readonly<Record<string, string>> = {
  'token.invalid': renewToken,
  'token.expired': renewToken,
  'token.revoked': renewToken,
  'token.creator': 'A person with sufficient rights must create a new token under Administration → API tokens.',
  'token.scope': 'Create a token with a wider scope under Administration → API tokens.',
  'token.game':
    "Create a token for this game under Administration → API tokens, or use --game with the number of the token's game.",
}

async function refusalOf(call: string, response: Response): Promise<Refused> {
  const { title, code, detail } = problemOf(await response.text())
  return new Refused(
    call,
    response.status,
    typeof title === 'string' ? title : 'The platform gave no reason',
    typeof code === 'string' ? code : undefined,
    // Details of other errors are not shown, because they may contain parts of the request.
    typeof code !== 'string' ? undefined : code.startsWith('import.') && typeof detail === 'string' ? detail : tokenAdvice[code],
  )
}

/** Returns how many seconds a busy platform asks to wait. @returns undefined if the platform is not busy */
function waitSeconds({ status, headers }: Response): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  const asked = Number(headers.get('retry-after') ?? 1)
  return Number.isFinite(asked) ? Math.min(Math.max(asked, 1), maxWaitSeconds) : 1
}

/** Requests an address. If this fails, the error contains the reason, which `fetch` only has in `cause`. */
async function reach(send: typeof fetch, address: string, init: RequestInit): Promise<Response> {
  try {
    return await send(address, init)
  } catch (cause) {
    const code = (cause as { cause?: { code?: unknown } }).cause?.code
    if (code === 'ERR_SSL_WRONG_VERSION_NUMBER' || code === 'ERR_SSL_PACKET_LENGTH_TOO_LONG') {
      const { origin, host } = new URL(address)
      throw new Error(`${origin} does not use TLS. If the platform has no certificate, use http://${host}.`, { cause })
    }
    const inner = cause instanceof TypeError && cause.cause instanceof Error ? cause.cause : undefined
    // If several IP addresses of the host were tried, the message is empty, so use the code of the error.
    const why = inner && (inner.message || ('code' in inner && String(inner.code)) || inner.name)
    throw why === undefined ? cause : new Error(`${new URL(address).origin} cannot be reached: ${why}`, { cause })
  }
}

/**
 * Connects to a platform with an API token. If the platform limits calls or is busy, the call is retried after the time in
 * `Retry-After`.
 */
export function connectToPlatform({ url, token }: Connection, send: typeof fetch = fetch): Platform {
  const origin = url.replace(/\/$/, '')
  const ask = async (method: string, path: string, bodyOfAttempt?: () => Body): Promise<Response> => {
    const call = `${method} ${path.split('?', 1)[0]}`
    for (let waits = 0; ; waits++) {
      const body = bodyOfAttempt?.()
      const response = await reach(send, origin + path, {
        method,
        // Do not follow redirects, so that the token is not sent to another site.
        redirect: 'error',
        headers: {
          authorization: `Bearer ${token}`,
          'accept-language': 'en-US',
          ...body?.headers,
        },
        ...(body !== undefined && { body: body.content, duplex: 'half' }),
      })
      const seconds = waitSeconds(response)
      if (seconds === undefined || waits >= maxWaits) {
        if (!response.ok) throw await refusalOf(call, response)
        return response
      }
      await response.body?.cancel()
      await sleep(seconds * 1000)
    }
  }
  return {
    async call<const Op extends Operation>(operation: Op, ...[args = {} as CallArguments<Op>]: Arguments<Op>) {
      const response = await ask(operation.method, addressOf(operation, args), bodyOf(operation, args))
      const text = await response.text()
      return (operation.response && text !== '' ? JSON.parse(text) : undefined) as ResponseOf<Op>
    },
    download: async (path) => {
      const { body } = await ask('GET', path)
      return body === null ? Readable.from([]) : Readable.fromWeb(body)
    },
  }
}
