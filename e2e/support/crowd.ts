import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { HubConnectionBuilder, LogLevel } from '@microsoft/signalr'
import type { Player } from './player.ts'
import { poll } from './poll.ts'
import { connectToInstance } from './tcp-over-websocket.ts'

/** What players who stay online noticed. */
interface Experience {
  /** Flags that were judged. */
  submissions: number
  /** Submissions that were not, each with its error. */
  failures: string[]
  /** How often a hub or a proxied connection ended, and the longest time until it was back, in milliseconds. */
  hub: { returns: number; longestGapMs: number }
  proxy: { returns: number; longestGapMs: number }
  /** Answers of instances to what was typed into the connections. */
  answers: number
}

export type Crowd = Readonly<{
  /** What was noticed so far. */
  experience: Experience
  /** Everybody leaves. Resolves when all is quiet. */
  leave(): Promise<void>
}>

/** A player of the crowd: what is submitted to, and the running instance that is connected to, where there is one. */
export type Member = Readonly<{
  player: Player
  challengeId: number
  entry?: string
}>

/** Between two flags of one player, and between two tries to be back, in milliseconds. */
const flagPauseMs = 50
const retryMs = 100

/** What a player types again and again into an open connection, which challenges close when nothing comes; and how often. */
const line = 'key\n'
const linePauseMs = 500

/** Keeps players busy: each submits one wrong flag after another, listens on a hub, and holds a connection to its instance. */
export async function gatherCrowd(members: readonly Member[]): Promise<Crowd> {
  const experience: Experience = {
    submissions: 0,
    failures: [],
    hub: { returns: 0, longestGapMs: 0 },
    proxy: { returns: 0, longestGapMs: 0 },
    answers: 0,
  }
  const leaving = new AbortController()
  const ends = await Promise.all(
    members.map(async (member, index) => {
      const leaveHub = await listen(member, experience, leaving.signal)
      const leaveProxy = await hold(member, experience, leaving.signal)
      const submitting = submit(member, index, experience, leaving.signal)
      return async () => {
        await submitting
        await leaveProxy()
        await leaveHub()
      }
    }),
  )
  return {
    experience,
    async leave() {
      leaving.abort()
      await Promise.all(ends.map((end) => end()))
    },
  }
}

async function submit({ player, challengeId }: Member, index: number, experience: Experience, leaving: AbortSignal) {
  for (let count = 0; !leaving.aborted; count += 1) {
    await player.actor.submitFlag(player.gameId, challengeId, `flag{wrong-${index}-${count}}`).then(
      () => {
        experience.submissions += 1
      },
      (error: unknown) => experience.failures.push(`${new Date().toISOString()} ${describeError(error)}`),
    )
    await pause(flagPauseMs)
  }
}

function describeError(error: unknown): string {
  return error instanceof Error
    ? `${error.message} ${error.cause === undefined ? '' : describeError(error.cause)}`.trim()
    : String(error)
}

/** Notes a return to what ended at `sinceMs`. */
function noteReturn(kind: Experience['hub'], sinceMs: number): void {
  kind.returns += 1
  kind.longestGapMs = Math.max(kind.longestGapMs, performance.now() - sinceMs)
}

async function listen({ player }: Member, { hub }: Experience, leaving: AbortSignal): Promise<() => Promise<void>> {
  const connection = new HubConnectionBuilder()
    .withUrl(`${player.actor.baseUrl}/hub/user?game=${player.gameId}`, { headers: { cookie: player.actor.cookies.header() } })
    .withAutomaticReconnect({ nextRetryDelayInMilliseconds: () => (leaving.aborted ? null : retryMs) })
    .configureLogging(LogLevel.None)
    .build()
  let endedAtMs = 0
  connection.onreconnecting(() => {
    endedAtMs = performance.now()
  })
  connection.onreconnected(() => noteReturn(hub, endedAtMs))
  await connection.start()
  return () => connection.stop()
}

async function hold({ player, entry }: Member, experience: Experience, leaving: AbortSignal): Promise<() => Promise<void>> {
  if (entry === undefined) return async () => {}
  const open = () =>
    poll('the instance to be reached again', () => connectToInstance({ entry, baseUrl: player.actor.baseUrl }), {
      timeoutMs: 60_000,
      everyMs: retryMs,
    })
  let connection: Duplex = await open()
  let returning = Promise.resolve()
  function watch(): void {
    connection.on('error', () => {})
    connection.on('data', () => {
      experience.answers += 1
    })
    connection.once('close', () => {
      if (leaving.aborted) return
      const endedAtMs = performance.now()
      returning = open().then((next) => {
        connection = next
        noteReturn(experience.proxy, endedAtMs)
        watch()
      })
    })
  }
  watch()
  const typing = setInterval(() => connection.write(line), linePauseMs)
  return async () => {
    clearInterval(typing)
    await returning
    connection.destroy()
  }
}
