import { parseArgs } from 'node:util'
import { applyPlan } from '../apply/apply.ts'
import { countPlannedChanges, listOverwrittenChanges } from '../plan/plan.ts'
import { formatPlan, planAsJson } from '../plan/print.ts'
import type { Workspace } from '../resolve/resolve-context.ts'
import { runInWorkspace } from '../resolve/run-make.ts'
import { fieldNameInFile } from '../state/paths-in-file.ts'
import { type Command, type Context, type ExitCode, exitCodes } from './command.ts'
import { environmentForAuthorCommands, parseFolderArgument, planFolderChanges, planOptions } from './prepare.ts'

async function apply(args: readonly string[], context: Context, workspace: Workspace): Promise<ExitCode> {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { ...planOptions, overwrite: { type: 'boolean', default: false } },
  })
  const prepared = await planFolderChanges(parseFolderArgument(positionals), values, context, workspace)
  if (!prepared) return exitCodes.refused
  const { plan } = prepared
  const { prune } = values
  if (!values.json) for (const line of formatPlan(plan, { prune, hasColours: context.hasColours ?? false })) context.line(line)
  const foreign = listOverwrittenChanges(plan)
  if (foreign.length > 0 && !values.overwrite) {
    for (const { where, change } of foreign)
      context.error(`${where}: ${fieldNameInFile(change)} was changed on the platform since the last apply.`)
    context.error(
      'Nothing was applied. Run `capstan pull` to write these changes into the files, or use --overwrite to discard them.',
    )
    return exitCodes.refused
  }
  const { gameId, failures } = await applyPlan({
    ...prepared,
    prune,
    progress: ({ done, total, what }) => context.progress?.(`[${done + 1}/${total}] ${what}`),
  })
  context.progress?.('')
  const left = [
    ...prepared.folder.unreadable.map((file) => ({ file, why: 'The file has faults, which are listed above.' })),
    ...failures,
  ]
  for (const { file, why } of left) context.error(`not applied: ${file}: ${why}`)
  if (values.json) context.line(JSON.stringify({ ...planAsJson(plan, prune), applied: gameId, failures: left }, undefined, 2))
  else context.line(`Applied to game ${gameId}${left.length === 0 ? '' : `, except for what is listed above`}.`)
  return left.length + countPlannedChanges(plan, prune).refuse > 0 ? exitCodes.refused : exitCodes.done
}

export const applyCommand: Command = {
  usage: 'capstan apply [--json] [--prune] [--overwrite] [--only PATTERN]… [--game NUMBER] [FOLDER]',
  summary:
    'Applies the files to the game on the platform. A challenge that cannot be applied does not stop the others; the exit code is then 1. Changes that were made on the platform since the last apply are listed; they are overwritten only with --overwrite. Challenges whose files were deleted are deleted only with --prune.',
  run: (args, context) => runInWorkspace(environmentForAuthorCommands(context), (workspace) => apply(args, context, workspace)),
}
