import type { MessageBus } from '@capstan/bus/message-bus'
import type { Database } from '@capstan/db/client'
import type { Tracer } from '@capstan/tracing/tracer'
import type { Passwords } from './people/accounts/password.ts'
import type { ApiConfig } from './server/config.ts'
import type { BlobStore } from './server/files/blob-store.ts'
import type { UploadPace } from './server/files/body-watch.ts'
import type { ImageConverter } from './server/files/images.ts'
import type { Clock } from './server/http/clock.ts'
import type { InstanceRuntime } from './instances/lifecycle/runtime.ts'
import type { PlatformLog } from './server/logs/platform-log.ts'
import type { Mailer } from './server/mail/mailer.ts'
import type { BoardMaker } from './play/scoreboard/board-maker.ts'

/** What comes in from outside: everything that has a life of its own. Passed to `buildApp`, decorated as `app.deps`. */
export interface AppDeps {
  readonly config: ApiConfig
  readonly db: Database
  readonly bus: MessageBus
  readonly clock: Clock
  readonly blobs: BlobStore
  readonly images: ImageConverter
  readonly passwords: Passwords
  readonly runtime: InstanceRuntime
  readonly mailer: Mailer
  readonly platformLog: PlatformLog
  /** Absent: boards are built in this thread. */
  readonly boardMaker?: BoardMaker
  /** Absent: no traces. */
  readonly tracer?: Tracer | undefined
  /** Waits for `ms`; real time unless given. Used where callers are slowed down on purpose. */
  readonly sleep?: (ms: number) => Promise<unknown>
  /** What is asked of the senders of files; absent: the limits of the contract. */
  readonly uploadPace?: UploadPace
}
