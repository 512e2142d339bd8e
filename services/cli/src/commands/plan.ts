import { parseArgs } from 'node:util'
import { countPlannedChanges } from '../plan/plan.ts'
import { formatPlan, planAsJson } from '../plan/print.ts'
import { type Command, exitCodes } from './command.ts'
import { parseFolderArgument, planFolderChanges, planOptions } from './prepare.ts'

export const planCommand: Command = {
  usage: 'capstan plan [--json] [--prune] [--only PATTERN]… [--game NUMBER] [FOLDER]',
  summary:
    'Shows what `capstan apply` would change. It runs no commands from the files. The exit code is 0 if there are no changes, 2 if there are changes, and 1 if apply is not possible.',
  usageCode: exitCodes.refused,
  run: async (args, context) => {
    const { values, positionals } = parseArgs({ args: [...args], allowPositionals: true, options: planOptions })
    const prepared = await planFolderChanges(parseFolderArgument(positionals), values, context, undefined)
    if (!prepared) return exitCodes.refused
    const { plan } = prepared
    const { prune } = values
    if (values.json) context.line(JSON.stringify(planAsJson(plan, prune), undefined, 2))
    else for (const line of formatPlan(plan, { prune, hasColours: context.hasColours ?? false })) context.line(line)
    const counts = countPlannedChanges(plan, prune)
    if (counts.refuse + prepared.folder.unreadable.length > 0) return exitCodes.refused
    return counts.add + counts.change + counts.delete > 0 ? exitCodes.changes : exitCodes.done
  },
}
