import { parseArgs } from 'node:util'
import { type GameOrder, gameOrders } from '@capstan/contract/admin'
import type { AdminGame } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { Platform } from '../platform.ts'
import { type Command, exitCodes } from './command.ts'
import { connectWithWarning } from './prepare.ts'

type Game = Pick<AdminGame, GameOrder>

/** Returns the games that the token may read, newest first. */
async function gamesOf(platform: Platform): Promise<readonly Game[]> {
  const { gameId } = await platform.call(ownOperations.getEditGrant)
  if (gameId !== null) return [await platform.call(operations.adminGetGame, { params: { id: gameId } })]
  const games: Game[] = []
  for (;;) {
    const { data, total } = await platform.call(ownOperations.findGames, { query: { skip: games.length } })
    games.push(...data)
    if (data.length === 0 || games.length >= total) return games
  }
}

function dayOf(instant: string): string {
  return instant.slice(0, 'YYYY-MM-DD'.length)
}

function lineOf({ id, title, hidden, start, end }: Game, width: number): string {
  return `${String(id).padStart(width)}  ${dayOf(start)} to ${dayOf(end)}  ${title}${hidden ? ' (hidden)' : ''}`
}

export const gamesCommand: Command = {
  usage: 'capstan games [--json]',
  summary: 'Lists the games that the token may read, with the numbers for --game.',
  run: async (args, context) => {
    const { values } = parseArgs({ args: [...args], options: { json: { type: 'boolean', default: false } } })
    const games = await gamesOf(connectWithWarning(context))
    const width = Math.max(0, ...games.map(({ id }) => String(id).length))
    if (values.json) context.line(JSON.stringify({ games }, ['games', ...gameOrders], 2))
    else for (const game of games) context.line(lineOf(game, width))
    if (games.length === 0) context.error('There is no game yet. `capstan apply` creates one.')
    return exitCodes.done
  },
}
