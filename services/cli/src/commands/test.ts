import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { hasContainer } from '@capstan/contract/challenge-types'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { ChallengePlan } from '../plan/plan.ts'
import type { Platform } from '../platform.ts'
import type { Workspace } from '../resolve/resolve-context.ts'
import { runInWorkspace } from '../resolve/run-make.ts'
import { containsFlag, findSolverAddress, type InstanceAddress, runSolver } from '../solve/solve.ts'
import { type Command, type Context, type ExitCode, exitCodes } from './command.ts'
import { environmentForAuthorCommands, parseFolderArgument, planFolderChanges } from './prepare.ts'

const defaultTimeoutSeconds = 120

/** Runs `work` with a test instance, which is always stopped afterwards. */
async function withInstance<Result>(
  platform: Platform,
  params: Readonly<{ id: number; cid: number }>,
  work: (instance: InstanceAddress) => Promise<Result>,
): Promise<Result> {
  try {
    await platform.call(operations.startTestContainer, { params })
    const instance = findSolverAddress(await platform.call(ownOperations.listTestInstanceWays, { params }))
    if (!instance)
      throw new Error(
        'Solvers cannot connect, because instances are reachable only by WebSocket. Configure a domain or ports for the gateways.',
      )
    return await work(instance)
  } finally {
    await platform.call(operations.stopTestContainer, { params })
  }
}

/** @returns the reason why the solver failed, or undefined if the solver solved the challenge */
async function tryOne(
  { platform, gameId, root }: Readonly<{ platform: Platform; gameId: number; root: string }>,
  { loaded, present, wanted }: ChallengePlan,
  context: Context,
): Promise<string | undefined> {
  const { solver } = loaded.challenge
  if (!solver || !present || !wanted) return 'The challenge is not on the platform: run `capstan apply` first.'
  const solve = (instance: InstanceAddress | undefined) =>
    runSolver({
      command: solver.command,
      cwd: join(root, loaded.folder),
      timeoutMs: (solver.timeoutSeconds ?? defaultTimeoutSeconds) * 1000,
      environment: environmentForAuthorCommands(context),
      instance,
    })
  const { type, template, flags } = present.challenge
  const params = { id: gameId, cid: present.id }
  try {
    const output = hasContainer(type) ? await withInstance(platform, params, solve) : await solve(undefined)
    const right = type === 'DynamicContainer' ? { template } : { flags: flags.map(({ flag }) => flag) }
    return containsFlag(output, right) ? undefined : 'The output of the solver contains no flag of the challenge.'
  } catch (cause) {
    return cause instanceof Error ? cause.message : String(cause)
  }
}

async function testSolvers(args: readonly string[], context: Context, workspace: Workspace): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { only: { type: 'string', multiple: true }, game: { type: 'string' } },
  })
  const root = parseFolderArgument(positionals)
  const prepared = await planFolderChanges(root, values, context, workspace)
  if (!prepared) return exitCodes.refused
  const { platform, plan } = prepared
  const chosen = plan.challenges.filter(({ loaded }) => loaded.challenge.solver)
  if (!plan.present || chosen.length === 0) {
    context.error(plan.present ? 'No challenge has a solver.' : 'The game is not on the platform: run `capstan apply` first.')
    return exitCodes.refused
  }
  const gameId = plan.present.game.id
  let failures = 0
  for (const [index, each] of chosen.entries()) {
    const { name } = each.loaded.challenge
    context.progress?.(`[${index + 1}/${chosen.length}] ${name}`)
    const failure = await tryOne({ platform, gameId, root }, each, context)
    context.progress?.('')
    if (each.action === 'update') context.line(`${name}: the challenge on the platform differs from its file`)
    context.line(failure === undefined ? `${name}: solved` : `${name}: NOT solved. ${failure}`)
    if (failure !== undefined) failures++
  }
  return failures + prepared.folder.unreadable.length > 0 ? exitCodes.refused : exitCodes.done
}

export const testCommand: Command = {
  usage: 'capstan test [--only PATTERN]… [--game NUMBER] [FOLDER]',
  summary: 'Runs the solver of each challenge against a test instance on the platform, and checks the flag that it prints.',
  run: (args, context) =>
    runInWorkspace(environmentForAuthorCommands(context), (workspace) => testSolvers(args, context, workspace)),
}
