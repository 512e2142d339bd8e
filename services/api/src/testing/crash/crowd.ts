import type { CrashingPlatform } from './platform.ts'

/** Simulated player, with challenges to solve and challenges whose instances the player starts. */
export type Player = Readonly<{
  cookie: string
  gameId: number
  solvable: readonly Readonly<{ id: number; flag: string }>[]
  startable: readonly number[]
}>

export interface Acknowledged {
  readonly submissions: Readonly<{ number: number; answer: string }>[]
  readonly instanceIds: string[]
  reads: number
  readonly oddities: string[]
}

function pick<Item>(list: readonly Item[]): Item {
  const item = list[Math.floor(Math.random() * list.length)]
  if (item === undefined) throw new Error('Nothing to pick from')
  return item
}

export type CrowdOptions = Readonly<{
  /** Share of calls that only read data. */
  reads?: number
  /** True if the api may refuse a start with status 503, so that the player must try again later. */
  startsMayWait?: boolean
}>

/** Simulates players who send requests without a pause. A player continues after a broken connection. */
export function createCrowd(
  platform: CrashingPlatform,
  players: readonly Player[],
  { reads = 0, startsMayWait = false }: CrowdOptions = {},
) {
  const acknowledged: Acknowledged = { submissions: [], instanceIds: [], reads: 0, oddities: [] }
  const listeners = new Set<() => void>()
  let isOver = false
  let guesses = 0

  const submit = async ({ cookie, gameId, solvable }: Player): Promise<void> => {
    const challenge = pick(solvable)
    guesses += 1
    const answer = Math.random() < 0.3 ? challenge.flag : `flag{guess ${guesses}}`
    const { status, text } = await platform.call(`/api/game/${gameId}/challenges/${challenge.id}`, cookie, { flag: answer })
    if (status === 200) acknowledged.submissions.push({ number: Number(text), answer })
    else acknowledged.oddities.push(`submit: ${status} ${text}`)
  }

  const start = async ({ cookie, gameId, startable }: Player): Promise<void> => {
    const { status, text } = await platform.call(`/api/game/${gameId}/container/${pick(startable)}`, cookie, {})
    if (status === 200) acknowledged.instanceIds.push((JSON.parse(text) as { entry: string }).entry)
    // Expected refusals: the instance already runs, was just started, or was stopped by a team mate who started another instance.
    else if (status !== 400 && status !== 429 && !(startsMayWait && status === 503))
      acknowledged.oddities.push(`start: ${status} ${text}`)
  }

  const read = async ({ cookie, gameId, solvable, startable }: Player): Promise<void> => {
    const path = pick([
      '/api/account/profile',
      '/api/team',
      '/api/game',
      `/api/game/${gameId}`,
      `/api/game/${gameId}/details`,
      `/api/game/${gameId}/notices`,
      `/api/game/${gameId}/scoreboard`,
      `/api/game/${gameId}/challenges/${pick(solvable).id}`,
      `/api/game/${gameId}/challenges/${pick(startable)}`,
    ])
    const { status, text } = await platform.call(path, cookie)
    if (status === 200) acknowledged.reads += 1
    else acknowledged.oddities.push(`${path}: ${status} ${text}`)
  }

  const play = async (player: Player): Promise<void> => {
    while (!isOver) {
      try {
        if (Math.random() < reads) await read(player)
        else await (Math.random() < 0.7 ? submit(player) : start(player))
      } catch (error) {
        // After a broken connection, it is unknown whether the call had an effect.
        if (!(error instanceof TypeError)) throw error
      }
      for (const listener of listeners) listener()
    }
  }
  const playing = Promise.all(players.map(play))

  return {
    acknowledged,
    /** Resolves when all players together have made `count` more calls. */
    waitForCalls: (count: number): Promise<void> =>
      new Promise((resolve) => {
        let left = count
        const listener = () => {
          left -= 1
          if (left > 0) return
          listeners.delete(listener)
          resolve()
        }
        listeners.add(listener)
      }),
    async stop(): Promise<void> {
      isOver = true
      await playing
    },
  }
}
