import type { ApiAccess } from './access.ts'
import { pods, secrets } from './built-in-kinds.ts'
import { type Answer, createTransport, readResponseLines, readResponsePieces, readResponseText } from './transport.ts'
import { type DesiredObject, type KubeObject, type Resource, resourcePath } from './types.ts'
import { toYamlSafeJson } from './yaml-safe-json.ts'

export class ApiError extends Error {
  readonly status: number
  readonly reason: string
  /** Delay that the server requests, in ms. */
  readonly retryAfterMs: number | undefined

  constructor(status: number, reason: string, message: string, retryAfterMs?: number) {
    super(message)
    this.name = 'ApiError'
    this.status = status
    this.reason = reason
    this.retryAfterMs = retryAfterMs
  }
}

export function hasErrorStatus(error: unknown, ...statuses: number[]): boolean {
  return error instanceof ApiError && statuses.includes(error.status)
}
export function isNotFoundError(error: unknown): boolean {
  return hasErrorStatus(error, 404)
}
export function isConflictError(error: unknown): boolean {
  return hasErrorStatus(error, 409)
}

export interface WatchEvent<T extends KubeObject> {
  type: 'ADDED' | 'MODIFIED' | 'DELETED' | 'BOOKMARK'
  object: T
}

export interface WatchOptions<T extends KubeObject> {
  resourceVersion: string
  timeoutSeconds: number
  signal: AbortSignal
  /** Called once the server has accepted the watch. */
  onOpen: () => void
  /** Called for each event. If this function throws an error, the watch ends. */
  onEvent: (event: WatchEvent<T>) => void
}

export interface LogStreamOptions {
  /** True to follow new output until the container ends. */
  follow: boolean
  /** Maximum total size, in bytes. If absent, the size is not limited. */
  limitBytes?: number | undefined
  /** Number of lines to read, counted from the end of the log. If absent, all lines are read. */
  tailLines?: number | undefined
  /** Time before which lines are skipped. If absent, no line is skipped. */
  sinceTime?: Date | undefined
  signal: AbortSignal
}

export interface LogOptions extends LogStreamOptions {
  /** Called for each piece of the log. If the function returns true, reading stops. */
  onPiece: (piece: Uint8Array) => boolean
}

/**
 * Maximum number of objects in a page of a list, and the token with which the page starts. If both are absent, the
 * complete list is read.
 */
export interface Page {
  limit?: number
  continueToken?: string | undefined
}

export interface ListPage<T extends KubeObject> {
  items: T[]
  resourceVersion: string
  continueToken: string | undefined
}

export type Verb = 'get' | 'list' | 'watch' | 'create' | 'update' | 'patch' | 'delete'

/** Called after each request. If no response arrived, `status` is 0 and `serverDate` is absent. */
export type RequestObserver = (request: {
  verb: Verb
  plural: string
  status: number
  /** Current time of the server, in whole seconds. */
  serverDate?: Date | undefined
}) => void

export type RequestWrapper = <T>(request: { verb: Verb; method: string; plural: string }, send: () => Promise<T>) => Promise<T>

export interface KubeClientOptions {
  /** Name of this client in the API server's audit log. */
  userAgent: string
  observeRequest?: RequestObserver | undefined
  wrapRequest?: RequestWrapper | undefined
  /**
   * Maximum number of concurrent connections, by default 24. The API server answers within milliseconds, so more connections would
   * only cost handshakes.
   */
  maxConnections?: number
}

export interface Scope {
  namespace?: string | undefined
  labelSelector?: string | undefined
  /** Selector of objects by field. With `metadata.name=x`, a caller that has only the right to list can read a single object. */
  fieldSelector?: string | undefined
  /** True to request only metadata. A watch of Secrets then receives no secret values. */
  metadataOnly?: boolean | undefined
}

export interface DeletePreconditions {
  uid?: string
  resourceVersion?: string
}

export interface JsonPatchStep {
  op: 'add' | 'remove' | 'replace' | 'test'
  path: string
  value?: unknown
}

export interface KubeClient {
  get<T extends KubeObject>(resource: Resource<T>, namespace: string | undefined, name: string): Promise<T>
  listPage<T extends KubeObject>(resource: Resource<T>, scope: Scope, page?: Page): Promise<ListPage<T>>
  /**
   * Reports events after `resourceVersion`. Resolves when the server ends the watch, at the latest after `timeoutSeconds`.
   * @throws ApiError if the server reports an error, or another error if the connection breaks
   */
  watch<T extends KubeObject>(resource: Resource<T>, scope: Scope, options: WatchOptions<T>): Promise<void>
  /**
   * Creates an object. With `isStrict`, the API server refuses an object with unknown fields. Otherwise the API
   * server drops such fields.
   */
  create<T extends KubeObject>(
    resource: Resource<T>,
    namespace: string | undefined,
    object: object,
    options?: { isStrict?: boolean },
  ): Promise<T>
  update<T extends KubeObject>(resource: Resource<T>, object: T): Promise<T>
  /**
   * Applies an object on the server with force. Our fields get the desired values even if another client owns them. Other fields
   * remain.
   */
  apply<T extends KubeObject>(resource: Resource<T>, desired: DesiredObject, fieldManager: string): Promise<T>
  /**
   * Applies a status on the server. The server refuses the status if an object with another `uid` has replaced the given object.
   */
  applyStatus<T extends KubeObject>(resource: Resource<T>, object: T, status: object, fieldManager: string): Promise<T>
  /** Sends a merge patch (RFC 7396). Null removes a member. */
  patchMerge<T extends KubeObject>(resource: Resource<T>, namespace: string, name: string, patch: object): Promise<T>
  /** Sends a JSON patch. Returns only metadata. */
  patchJson(resource: Resource, namespace: string, name: string, steps: JsonPatchStep[]): Promise<KubeObject>
  delete(
    resource: Resource,
    namespace: string | undefined,
    name: string,
    options?: { preconditions?: DeletePreconditions; gracePeriodSeconds?: number },
  ): Promise<void>
  readLog(namespace: string, pod: string, container: string): Promise<string>
  /** Returns the stored output of a container, piece by piece. The server waits if the reader is slow. */
  openLog(namespace: string, pod: string, container: string, options: LogStreamOptions): Promise<AsyncIterable<Uint8Array>>
  /**
   * Passes the stored output of a container to `onPiece`, piece by piece.
   * @returns true if `onPiece` stopped it
   */
  followLog(namespace: string, pod: string, container: string, options: LogOptions): Promise<boolean>
  close(): void
}

interface Call {
  verb: Verb
  method: string
  resource: Resource
  path: string
  query?: Record<string, string | undefined>
  body?: unknown
  contentType?: string
  metadataOnly?: boolean | undefined
}

/** Maximum time of a request, in ms, so that a request cannot block a worker for long. */
const requestTimeoutMs = 15_000

const metadataSuffix = ';as=PartialObjectMetadata;g=meta.k8s.io;v=v1'
const metadataListSuffix = ';as=PartialObjectMetadataList;g=meta.k8s.io;v=v1'

/** Creates a client of the API server that supports only the verbs we need. The client uses JSON and keep-alive connections. */
export function createKubeClient(access: ApiAccess, options: KubeClientOptions): KubeClient {
  const { userAgent, observeRequest = () => undefined, wrapRequest = (_request, run) => run(), maxConnections = 24 } = options
  const transport = createTransport(access, maxConnections)

  function open(call: Call, options: { timeoutMs?: number; signal?: AbortSignal }): Promise<Answer> {
    const query = new URLSearchParams()
    for (const [name, value] of Object.entries(call.query ?? {})) if (value !== undefined) query.set(name, value)
    return transport.send({
      method: call.method,
      path: query.size > 0 ? `${call.path}?${query}` : call.path,
      headers: {
        accept: call.metadataOnly
          ? `application/json${call.verb === 'list' ? metadataListSuffix : metadataSuffix}`
          : 'application/json',
        'user-agent': userAgent,
        ...(call.body === undefined ? {} : { 'content-type': call.contentType ?? 'application/json' }),
      },
      body: call.body === undefined ? undefined : toYamlSafeJson(call.body),
      ...options,
    })
  }

  const send = async <T>(call: Call): Promise<T> => JSON.parse(await sendForText(call)) as T

  const sendForText = (call: Call): Promise<string> =>
    wrapRequest({ verb: call.verb, method: call.method, plural: call.resource.plural }, () => exchange(call))

  async function exchange(call: Call): Promise<string> {
    let status = 0
    let serverDate: Date | undefined
    try {
      const response = await open(call, { timeoutMs: requestTimeoutMs })
      const text = await readResponseText(response)
      status = response.statusCode ?? 0
      serverDate = response.headers.date === undefined ? undefined : new Date(response.headers.date)
      if (status < 200 || status > 299) throw apiError(call.resource, response, text)
      return text
    } catch (cause) {
      if (cause instanceof ApiError) throw cause
      throw new Error(`Could not ${call.verb} ${call.resource.plural}`, { cause })
    } finally {
      observeRequest({ verb: call.verb, plural: call.resource.plural, status, serverDate })
    }
  }

  async function openStream(call: Call, signal: AbortSignal): Promise<Answer> {
    let status = 0
    try {
      const response = await open(call, { signal })
      status = response.statusCode ?? 0
      if (status !== 200) throw apiError(call.resource, response, await readResponseText(response))
      return response
    } finally {
      observeRequest({ verb: call.verb, plural: call.resource.plural, status })
    }
  }

  function openLog(
    namespace: string,
    pod: string,
    container: string,
    { follow, limitBytes, tailLines, sinceTime, signal }: LogStreamOptions,
  ): Promise<Answer> {
    const call: Call = {
      verb: 'get',
      method: 'GET',
      resource: pods,
      path: resourcePath(pods, namespace, pod, 'log'),
      query: {
        ...{ container, follow: String(follow), sinceTime: sinceTime?.toISOString() },
        ...{ limitBytes: limitBytes?.toString(), tailLines: tailLines?.toString() },
      },
    }
    return openStream(call, signal)
  }

  const scopeQuery = (scope: Scope) => ({
    labelSelector: scope.labelSelector,
    fieldSelector: scope.fieldSelector,
  })

  return {
    get: (resource, namespace, name) =>
      send({ verb: 'get', method: 'GET', resource, path: resourcePath(resource, namespace, name) }),

    async listPage<T extends KubeObject>(resource: Resource<T>, scope: Scope, page: Page = {}) {
      const list = await send<{ items: T[] | null; metadata: { resourceVersion: string; continue?: string } }>({
        verb: 'list',
        method: 'GET',
        resource,
        path: resourcePath(resource, scope.namespace),
        query: { ...scopeQuery(scope), limit: page.limit?.toString(), continue: page.continueToken },
        metadataOnly: scope.metadataOnly,
      })
      return {
        // Add `apiVersion` and `kind`, because the items of some lists lack these fields.
        items: (list.items ?? []).map((item) => ({ apiVersion: resource.apiVersion, kind: resource.kind, ...item })),
        resourceVersion: list.metadata.resourceVersion,
        continueToken: list.metadata.continue || undefined,
      }
    },

    async watch<T extends KubeObject>(resource: Resource<T>, scope: Scope, options: WatchOptions<T>) {
      const call: Call = {
        verb: 'watch',
        method: 'GET',
        resource,
        path: resourcePath(resource, scope.namespace),
        query: {
          ...scopeQuery(scope),
          watch: 'true',
          allowWatchBookmarks: 'true',
          resourceVersion: options.resourceVersion,
          timeoutSeconds: String(options.timeoutSeconds),
        },
        metadataOnly: scope.metadataOnly,
      }
      const response = await openStream(call, options.signal)
      options.onOpen()
      await readResponseLines(response, (line) => options.onEvent(readEvent<T>(line)))
    },

    create: (resource, namespace, object, { isStrict = false } = {}) =>
      send({
        verb: 'create',
        method: 'POST',
        resource,
        path: resourcePath(resource, namespace),
        query: { fieldValidation: isStrict ? 'Strict' : undefined },
        body: object,
      }),

    update: (resource, object) =>
      send({
        verb: 'update',
        method: 'PUT',
        resource,
        path: resourcePath(resource, object.metadata.namespace, object.metadata.name),
        body: object,
      }),

    apply: (resource, desired, fieldManager) =>
      send({
        verb: 'patch',
        method: 'PATCH',
        resource,
        path: resourcePath(resource, desired.metadata.namespace, desired.metadata.name),
        query: { fieldManager, force: 'true' },
        contentType: 'application/apply-patch+yaml',
        body: desired,
      }),

    applyStatus: (resource, object, status, fieldManager) =>
      send({
        verb: 'patch',
        method: 'PATCH',
        resource,
        path: resourcePath(resource, object.metadata.namespace, object.metadata.name, 'status'),
        query: { fieldManager, force: 'true' },
        contentType: 'application/apply-patch+yaml',
        body: {
          apiVersion: resource.apiVersion,
          kind: resource.kind,
          metadata: { name: object.metadata.name, namespace: object.metadata.namespace, uid: object.metadata.uid },
          status,
        },
      }),

    patchMerge: (resource, namespace, name, patch) =>
      send({
        verb: 'patch',
        method: 'PATCH',
        resource,
        path: resourcePath(resource, namespace, name),
        contentType: 'application/merge-patch+json',
        body: patch,
      }),

    patchJson: (resource, namespace, name, steps) =>
      send({
        verb: 'patch',
        method: 'PATCH',
        resource,
        path: resourcePath(resource, namespace, name),
        contentType: 'application/json-patch+json',
        body: steps,
        metadataOnly: true,
      }),

    async delete(resource, namespace, name, options = {}) {
      // Read the response to its end, which frees the connection. The object in the response is not needed.
      await sendForText({
        verb: 'delete',
        method: 'DELETE',
        resource,
        path: resourcePath(resource, namespace, name),
        body: {
          apiVersion: 'v1',
          kind: 'DeleteOptions',
          propagationPolicy: 'Background',
          ...(options.preconditions === undefined ? {} : { preconditions: options.preconditions }),
          ...(options.gracePeriodSeconds === undefined ? {} : { gracePeriodSeconds: options.gracePeriodSeconds }),
        },
      })
    },

    readLog: (namespace, pod, container) =>
      sendForText({
        verb: 'get',
        method: 'GET',
        resource: pods,
        path: resourcePath(pods, namespace, pod, 'log'),
        query: { container },
      }),

    openLog,

    async followLog(namespace, pod, container, { onPiece, ...options }) {
      return readResponsePieces(await openLog(namespace, pod, container, options), onPiece)
    },

    close: transport.close,
  }
}

interface StatusBody {
  code?: number
  reason?: string
  message?: string
  details?: { retryAfterSeconds?: number }
}

function readEvent<T extends KubeObject>(line: string): WatchEvent<T> {
  const event = JSON.parse(line) as WatchEvent<T> | { type: 'ERROR'; object: StatusBody }
  if (event.type !== 'ERROR') return event
  const { code = 500, reason = 'Unknown', message = 'The watch failed' } = event.object
  throw new ApiError(code, reason, message)
}

function apiError(resource: Resource, response: Answer, text: string): ApiError {
  let body: StatusBody = {}
  try {
    // Drop the message about a refused Secret, because the API server or an admission webhook may quote its values.
    if (resource.plural !== secrets.plural) body = JSON.parse(text) as StatusBody
  } catch {
    // Use only the status, because a proxy in front of the API server may answer in plain text.
  }
  const status = response.statusCode ?? 0
  const header = Number(response.headers['retry-after'])
  const seconds = body.details?.retryAfterSeconds ?? (Number.isFinite(header) && header > 0 ? header : undefined)
  return new ApiError(
    status,
    body.reason ?? 'Unknown',
    body.message ?? `The API server responded with ${status}`,
    seconds === undefined ? undefined : seconds * 1000,
  )
}
