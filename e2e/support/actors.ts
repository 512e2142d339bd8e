import type { RegisterOutcome } from '@capstan/contract/accounts'
import type { BodyOf, Operation, ParamsOf, QueryOf, ResponseOf } from '@capstan/contract/operation'
import { operations } from '@capstan/contract/operations'
import type { AnswerResult } from '@capstan/contract/submissions'
import type { TeamInfo } from '@capstan/contract/teams'
import { CookieJar } from './cookie-jar.ts'
import { poll } from './poll.ts'

type UploadFile = Readonly<{
  name: string
  content: Uint8Array | Blob
  type?: string
}>

type Argument<Key extends string, Value> = Value extends undefined
  ? { readonly [K in Key]?: undefined }
  : { readonly [K in Key]: Value }

/** Arguments of a call. The contract defines them for each operation. */
type CallArguments<Op extends Operation> = Argument<'params', ParamsOf<Op>> &
  Argument<'body', BodyOf<Op>> & { readonly query?: QueryOf<Op> } & (Op['upload'] extends object
    ? { readonly files: readonly UploadFile[] }
    : { readonly files?: undefined })

type Arguments<Op extends Operation> =
  Record<never, never> extends CallArguments<Op> ? [args?: CallArguments<Op>] : [args: CallArguments<Op>]

/** Error for a call that the platform refused, with the fields of its error body. */
export class Refusal extends Error {
  readonly httpStatus: number
  readonly status: number
  readonly title: string
  /** Code from the error catalog. Undefined if the platform sends no code. */
  readonly code: string | undefined
  /** Seconds to wait, from the header `Retry-After`. */
  readonly retryAfterSeconds: number | undefined

  constructor(call: string, response: Response, text: string) {
    const { title = text.slice(0, 200), status = response.status, code } = parseProblem(text)
    super(`${call} was refused with ${response.status}: ${title}`)
    this.name = 'Refusal'
    this.httpStatus = response.status
    this.status = status
    this.title = title
    this.code = code
    const retryAfter = response.headers.get('retry-after')
    this.retryAfterSeconds = retryAfter === null ? undefined : Number(retryAfter)
  }
}

/** Client of the platform with a separate session: an organizer, a player or a visitor. It uses only public HTTP calls. */
export class ApiActor {
  readonly baseUrl: string
  readonly cookies = new CookieJar()

  /** @param baseUrl origin of the site, for example `http://127.0.0.1:8080` */
  constructor(baseUrl: string) {
    this.baseUrl = baseUrl.replace(/\/+$/, '')
  }

  /**
   * Calls an operation of the contract.
   * @returns the parsed JSON, or undefined if the contract defines no response body
   * @throws Refusal for any status except 2xx
   */
  async call<const Op extends Operation>(operation: Op, ...[args]: Arguments<Op>): Promise<ResponseOf<Op>> {
    const response = await this.send(operation, args)
    const text = await response.text()
    return (operation.response && text !== '' ? JSON.parse(text) : undefined) as ResponseOf<Op>
  }

  /** Calls an operation whose response is a file. */
  async download<const Op extends Operation>(operation: Op, ...[args]: Arguments<Op>): Promise<Uint8Array> {
    return (await this.send(operation, args)).bytes()
  }

  /**
   * Requests any path of the site, such as `/assets/{hash}/{name}`, and returns the response.
   * @throws Refusal for any status except 2xx
   */
  async get(path: string): Promise<Response> {
    return this.#request('GET', path)
  }

  /** Logs in by name or email address, and stores the session in this actor. */
  async logIn(userName: string, password: string): Promise<void> {
    await this.call(operations.logIn, { body: { userName, password } })
  }

  async register(account: { userName: string; password: string; email: string }): Promise<RegisterOutcome> {
    return (await this.call(operations.register, { body: account })).data
  }

  async createTeam(name: string): Promise<TeamInfo> {
    return this.call(operations.createTeam, { body: { name } })
  }

  async join(gameId: number, teamId: number, division?: string): Promise<void> {
    await this.call(operations.joinGame, { params: { id: gameId }, body: { teamId, organization: division ?? null } })
  }

  /** Submits a flag and waits for the verdict, as clients do. */
  async submitFlag(gameId: number, challengeId: number, flag: string): Promise<AnswerResult> {
    const params = { id: gameId, cid: challengeId }
    const sid = await this.call(operations.submitFlag, { params, body: { flag } })
    return poll(`submission ${sid} to be judged`, async () => {
      const status = await this.call(operations.getSubmissionStatus, { params: { ...params, sid } })
      return status === 'FlagSubmitted' ? undefined : status
    })
  }

  /** Returns the session as cookies for a browser context (Playwright `addCookies`). */
  browserCookies(): { name: string; value: string; url: string }[] {
    return this.cookies.entries().map((cookie) => ({ ...cookie, url: this.baseUrl }))
  }

  /**
   * Sends a call and returns the response without reading its body, so that tests can check its headers.
   * @throws Refusal for any status except 2xx
   */
  async send(operation: Operation, args: LooseArguments = {}): Promise<Response> {
    const path = fillPath(operation.path, args.params as Readonly<Record<string, unknown>> | undefined)
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(args.query ?? {})) if (value !== undefined) query.set(name, String(value))
    const address = query.size > 0 ? `${path}?${query}` : path
    const { method, upload } = operation
    if (upload) return this.#request(method, address, formOf(upload.field, args.files ?? []), args.headers)
    return this.#request(method, address, args.body === undefined ? undefined : JSON.stringify(args.body), args.headers)
  }

  async #request(
    method: string,
    path: string,
    body?: string | FormData,
    further: Readonly<Record<string, string>> = {},
  ): Promise<Response> {
    const headers = new Headers({ 'accept-language': 'en-US', ...further })
    const cookie = this.cookies.header()
    if (cookie) headers.set('cookie', cookie)
    const xsrf = this.cookies.get('XSRF-TOKEN')
    if (xsrf) headers.set('x-xsrf-token', decodeURIComponent(xsrf))
    if (typeof body === 'string') headers.set('content-type', 'application/json')
    const response = await fetch(this.baseUrl + path, {
      method,
      headers,
      redirect: 'manual',
      ...(body === undefined ? {} : { body }),
    })
    this.cookies.store(response.headers)
    if (!response.ok) throw new Refusal(`${method} ${path}`, response, await response.text())
    return response
  }
}

type LooseArguments = Readonly<{
  params?: unknown
  query?: object | undefined
  body?: unknown
  files?: readonly UploadFile[] | undefined
  /** Additional headers that a browser would not send. */
  headers?: Readonly<Record<string, string>>
}>

function fillPath(template: string, params: Readonly<Record<string, unknown>> = {}): string {
  return template.replace(/\{(\w+)\}/g, (_, name: string) => {
    const value = params[name]
    if (value === undefined) throw new Error(`${template} needs '${name}'`)
    return encodeURIComponent(String(value))
  })
}

function formOf(field: string, files: readonly UploadFile[]): FormData {
  const form = new FormData()
  for (const file of files) {
    form.append(
      field,
      new Blob([file.content instanceof Blob ? file.content : Uint8Array.from(file.content)], {
        type: file.type ?? 'application/octet-stream',
      }),
      file.name,
    )
  }
  return form
}

function parseProblem(text: string): { title?: string; status?: number; code?: string } {
  try {
    const body: unknown = JSON.parse(text)
    return typeof body === 'object' && body !== null ? body : {}
  } catch {
    // The response is not from the platform, but perhaps from a proxy. The caller shows the text of the response.
    return {}
  }
}
