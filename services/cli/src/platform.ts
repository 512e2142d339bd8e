import { setTimeout as sleep } from 'node:timers/promises'
import type { BodyOf, Operation, ParamsOf, QueryOf, ResponseOf } from '@capstan/contract/operation'

export type UploadFile = Readonly<{
  name: string
  content: Uint8Array | Blob
  type?: string
}>

type Argument<Key extends string, Value> = Value extends undefined
  ? { readonly [K in Key]?: undefined }
  : { readonly [K in Key]: Value }

/** What a call needs besides the operation: the parts that its contract entry names. */
export type CallArguments<Op extends Operation> = Argument<'params', ParamsOf<Op>> &
  Argument<'body', BodyOf<Op>> & { readonly query?: QueryOf<Op> } & (Op['upload'] extends object
    ? { readonly files: readonly UploadFile[] }
    : { readonly files?: undefined })

type Arguments<Op extends Operation> =
  Record<string, never> extends CallArguments<Op> ? [CallArguments<Op>?] : [CallArguments<Op>]

/** The platform that files are applied to. Throws `Refused` where it refuses. */
export interface Platform {
  call<const Op extends Operation>(operation: Op, ...args: Arguments<Op>): Promise<ResponseOf<Op>>
  /** Bytes of an address of the site, such as `/assets/{hash}/{name}`. */
  download(path: string): Promise<Uint8Array>
}

/** The platform said no. Holds no secret: neither the token nor what was sent. */
export class Refused extends Error {
  readonly status: number
  readonly code: string | undefined

  /** @param detail what was said of an archive, or what to do about a token: a sentence */
  constructor(call: string, status: number, title: string, code: string | undefined, detail?: string) {
    super(`${call}: ${title} (${status}${code === undefined ? '' : `, ${code}`})${detail === undefined ? '' : `: ${detail}`}`)
    this.name = 'Refused'
    this.status = status
    this.code = code
  }
}

export type Connection = Readonly<{
  /** Origin of the site. */
  url: string
  token: string
}>

/** Waits for a busy platform are this long at most, and this many. */
const longestWaitSeconds = 60
const waitsMax = 20

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

function bodyOf(operation: Operation, { body, files }: LooseArguments): string | FormData | undefined {
  if (operation.upload === undefined) return body === undefined ? undefined : JSON.stringify(body)
  const form = new FormData()
  for (const { name, content, type = 'application/octet-stream' } of files ?? [])
    form.append(operation.upload.field, content instanceof Blob ? content : new Blob([Uint8Array.from(content)], { type }), name)
  return form
}

function problemOf(text: string): { title?: unknown; code?: unknown; detail?: unknown } {
  try {
    const parsed: unknown = JSON.parse(text)
    return typeof parsed === 'object' && parsed !== null ? parsed : {}
  } catch {
    // A page of some proxy in front: its status says enough.
    return {}
  }
}

const renewToken =
  'Make a new one under Administration → API tokens, and give it to `capstan login`, or to the job as CAPSTAN_TOKEN.'

/** What to do about a token that does not do, by the code of the refusal. */
const tokenAdvice: Readonly<Record<string, string>> = {
  'token.invalid': renewToken,
  'token.expired': renewToken,
  'token.revoked': renewToken,
  'token.creator': 'Somebody who may has to make a new one under Administration → API tokens.',
  'token.scope': 'Make one with a wider scope under Administration → API tokens.',
  'token.game': 'Make one for this game under Administration → API tokens, or name its own game with --game.',
}

async function refusalOf(call: string, response: Response): Promise<Refused> {
  const { title, code, detail } = problemOf(await response.text())
  return new Refused(
    call,
    response.status,
    typeof title === 'string' ? title : 'The platform did not say why',
    typeof code === 'string' ? code : undefined,
    // Of other calls the detail may repeat what was sent.
    typeof code !== 'string' ? undefined : code.startsWith('import.') && typeof detail === 'string' ? detail : tokenAdvice[code],
  )
}

/** How long a busy platform asks to wait, in seconds; undefined: it is not busy. */
function waitSeconds({ status, headers }: Response): number | undefined {
  if (status !== 429 && status !== 503) return undefined
  const asked = Number(headers.get('retry-after') ?? 1)
  return Number.isFinite(asked) ? Math.min(Math.max(asked, 1), longestWaitSeconds) : 1
}

/** Asks an address; `fetch` says why it did not get there in its cause alone. */
async function reach(send: typeof fetch, address: string, init: RequestInit): Promise<Response> {
  try {
    return await send(address, init)
  } catch (cause) {
    const inner = cause instanceof TypeError && cause.cause instanceof Error ? cause.cause : undefined
    // Where several addresses of one name were tried there is no message.
    const why = inner && (inner.message || ('code' in inner && String(inner.code)) || inner.name)
    throw why === undefined ? cause : new Error(`${new URL(address).origin} cannot be reached: ${why}`, { cause })
  }
}

/** Speaks to a platform by an API token. Calls that are too many for it are made again when it says. */
export function connect({ url, token }: Connection, send: typeof fetch = fetch): Platform {
  const origin = url.replace(/\/$/, '')
  const ask = async (method: string, path: string, body?: string | FormData): Promise<Response> => {
    const call = `${method} ${path.split('?', 1)[0]}`
    for (let waits = 0; ; waits++) {
      const response = await reach(send, origin + path, {
        method,
        // Another site must not get to see the token.
        redirect: 'error',
        headers: {
          authorization: `Bearer ${token}`,
          'accept-language': 'en-US',
          ...(typeof body === 'string' && { 'content-type': 'application/json' }),
        },
        ...(body !== undefined && { body }),
      })
      const seconds = waitSeconds(response)
      if (seconds === undefined || waits >= waitsMax) {
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
    download: async (path) => (await ask('GET', path)).bytes(),
  }
}
