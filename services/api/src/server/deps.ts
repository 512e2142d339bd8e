import type { MessageBus } from '@capstan/bus/message-bus'
import type { Database } from '@capstan/db/client'
import type { Tracer } from '@capstan/tracing/tracer'
import type { ApiConfig } from './config.ts'
import type { BlobStore } from './files/blob-store.ts'
import type { UploadPace } from './files/body-watch.ts'
import type { ImageConverter } from './files/images.ts'
import type { Clock } from './http/clock.ts'
import type { PlatformLog } from './logs/platform-log.ts'
import type { Mailer } from './mail/mailer.ts'
import type { FencedFetch } from './outgoing/fenced-fetch.ts'

export type ServerDeps = Readonly<{
  config: ApiConfig
  db: Database
  bus: MessageBus
  clock: Clock
  blobs: BlobStore
  images: ImageConverter
  mailer: Mailer
  platformLog: PlatformLog
  /** HTTP client for requests to addresses that users enter. */
  outgoing: FencedFetch
  /** If undefined, tracing is off. */
  tracer?: Tracer | undefined
  /** Function that waits for `ms`, in order to slow callers down. Tests replace this function. Default: a real wait. */
  sleep?: (ms: number) => Promise<unknown>
  /** Minimum pace of uploads. Default: the pace that the contract defines. */
  uploadPace?: UploadPace
}>
