import { formatFinding } from '@capstan/challenge-files/report'
import { ownOperations } from '@capstan/contract/operations'
import { createImageLock } from '../build/image-lock.ts'
import { connectWithLogin, findPlatformLogin, warningForPlainHttp } from '../connection.ts'
import { type GameFolder, loadGameFolder, selectChallenges } from '../game-folder.ts'
import { makePlan, type Plan } from '../plan/plan.ts'
import { findGameForName } from '../plan/read-platform.ts'
import type { Platform } from '../platform.ts'
import type { ResolveContext, Workspace } from '../resolve/resolve-context.ts'
import { type Context, UsageError } from './command.ts'

/** Options of commands that compare a folder with a game. */
export const planOptions = {
  json: { type: 'boolean', default: false },
  prune: { type: 'boolean', default: false },
  game: { type: 'string' },
  only: { type: 'string', multiple: true },
} as const

export function parseFolderArgument(positionals: readonly string[]): string {
  const [folder = '.', ...others] = positionals
  if (others.length > 0) throw new UsageError('Specify one folder.')
  return folder
}

export function parseGameNumber(text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  if (!/^[1-9]\d{0,9}$/.test(text)) throw new UsageError('--game must be the number of a game.')
  return Number(text)
}

export function connectWithWarning(context: Context): Platform {
  const connection = findPlatformLogin(context)
  const warning = warningForPlainHttp(connection.url)
  if (warning !== undefined) context.error(warning)
  return connectWithLogin(context, connection)
}

/** Returns the game to use: the game that the user selected, or else the game of the token, or else the game with this name. */
export async function chooseGame(
  platform: Platform,
  typed: number | undefined,
  name: string | undefined,
): Promise<number | undefined> {
  if (typed !== undefined) return typed
  const { gameId } = await platform.call(ownOperations.getEditGrant)
  if (gameId !== null) return gameId
  if (name === undefined)
    throw new UsageError('Use --game to select a game, or write a capstan.yaml of the kind Game next to the challenges.')
  return findGameForName(platform, name)
}

const dayMs = 24 * 3_600_000

export type PlannedFolder = Readonly<{
  platform: Platform
  folder: GameFolder
  plan: Plan
}>

/**
 * Returns the environment for files and commands of authors. It excludes the environment variables of `capstan` itself, such as
 * the token.
 */
export function environmentForAuthorCommands({ environment = {} }: Context): NonNullable<Context['environment']> {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !name.startsWith('CAPSTAN_')))
}

/** @param workspace undefined if the commands in files of authors must not run */
export function createResolveContext(context: Context, folder: GameFolder, workspace: Workspace | undefined): ResolveContext {
  return { environment: environmentForAuthorCommands(context), workspace, imageOf: createImageLock(folder).imageOf }
}

/**
 * Loads a folder and prints its faults. Challenges whose files have faults are not loaded.
 * @param chosen names or folders of the challenges to load; if absent, all challenges are loaded
 * @returns undefined if the file of the game has faults
 */
export function loadValidFolder(root: string, context: Context, chosen?: readonly string[]): GameFolder | undefined {
  const folder = selectChallenges(loadGameFolder(root), chosen)
  for (const finding of folder.findings) context.error(formatFinding(finding))
  const { findings, unreadable } = folder
  if (findings.some(({ file }) => !unreadable.includes(file))) return undefined
  if (!folder.game && folder.challenges.length + unreadable.length === 0)
    throw new Error(`No capstan.yaml was found below ${root}.`)
  return folder
}

/**
 * Compares the files of a folder with the game on the platform.
 * @param workspace undefined if commands of authors must not run
 * @returns undefined if the file of the game is invalid
 */
export async function planFolderChanges(
  root: string,
  { game: typed, only }: Readonly<{ game?: string; only?: readonly string[] }>,
  context: Context,
  workspace: Workspace | undefined,
): Promise<PlannedFolder | undefined> {
  const folder = loadValidFolder(root, context, only)
  if (!folder) return undefined
  const platform = connectWithWarning(context)
  const gameId = await chooseGame(platform, parseGameNumber(typed), folder.game?.game.name)
  const now = context.now?.() ?? 0
  const ends = new Date(now + 31 * dayMs).toISOString()
  const plan = await makePlan({
    platform,
    folder,
    resolveContext: createResolveContext(context, folder, workspace),
    gameId,
    newTimes: { starts: new Date(now + 30 * dayMs).toISOString(), ends, writeupsDeadline: ends },
  })
  return { platform, folder, plan }
}
