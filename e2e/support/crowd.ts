import type { Duplex } from 'node:stream'
import { setTimeout as pause } from 'node:timers/promises'
import { HubConnectionBuilder, LogLevel } from '@microsoft/signalr'
import type { Player } from './player.ts'
import { poll } from './poll.ts'
import { connectToInstance } from './tcp-over-websocket.ts'

interface Experience {
  submissions: number
  failures: string[]
  /** Number of reconnections to the hub, and to instances through the proxy. */
  reconnects: { hub: number; proxy: number }
  /** Number of lines that instances sent back. */
  answers: number
}

export type Crowd = Readonly<{
  experience: Experience
  leave(): Promise<void>
}>

/** Simulated player, and the challenge to which the player submits flags. `entry` is the address of the player's instance. */
export type Member = Readonly<{
  player: Player
  challengeId: number
  entry?: string
}>

/** Pause between two flags of a player, and pause between two attempts to reconnect, in ms. */
const flagPauseMs = 50
const retryMs = 100

/** Line that players send repeatedly, because challenges close idle connections. */
const line = 'key\n'
const linePauseMs = 500

/** Simulates active players. Each player submits wrong flags, listens to a hub and stays connected to an instance. */
export async function startCrowd(members: readonly Member[]): Promise<Crowd> {
  const experience: Experience = {
    submissions: 0,
    failures: [],
    reconnects: { hub: 0, proxy: 0 },
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

async function listen({ player }: Member, { reconnects }: Experience, leaving: AbortSignal): Promise<() => Promise<void>> {
  const connection = new HubConnectionBuilder()
    .withUrl(`${player.actor.baseUrl}/hub/user?game=${player.gameId}`, { headers: { cookie: player.actor.cookies.header() } })
    .withAutomaticReconnect({ nextRetryDelayInMilliseconds: () => (leaving.aborted ? null : retryMs) })
    .configureLogging(LogLevel.None)
    .build()
  connection.onreconnected(() => {
    reconnects.hub += 1
  })
  await connection.start()
  return () => connection.stop()
}

async function hold({ player, entry }: Member, experience: Experience, leaving: AbortSignal): Promise<() => Promise<void>> {
  if (entry === undefined) return async () => {}
  const open = () =>
    poll('the instance to be reached again', () => connectToInstance({ entry, baseUrl: player.actor.baseUrl }), {
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
      returning = open().then((next) => {
        connection = next
        experience.reconnects.proxy += 1
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
