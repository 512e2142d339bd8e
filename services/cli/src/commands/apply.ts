import { parseArgs } from 'node:util'
import { applyPlan } from '../apply/apply.ts'
import { countPlan, foreignChanges } from '../plan/plan.ts'
import { nameOfField, planForMachines, printPlan } from '../plan/print.ts'
import { type Command, exitCodes } from './command.ts'
import { folderOf, planOptions, prepare } from './prepare.ts'

export const applyCommand: Command = {
  usage: 'capstan apply [--json] [--prune] [--overwrite] [--game NUMBER] [FOLDER]',
  summary:
    'Makes a game what its files say. What somebody changed on the platform since is named, and written over with --overwrite alone; challenges whose files are gone are deleted with --prune alone.',
  run: async (args, context) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { ...planOptions, overwrite: { type: 'boolean', default: false } },
    })
    const prepared = await prepare(folderOf(positionals), values.game, context, 'run')
    if (!prepared) return exitCodes.refused
    const { plan } = prepared
    const { prune } = values
    if (!values.json) for (const line of printPlan(plan, { prune, hasColours: context.hasColours ?? false })) context.line(line)
    if (countPlan(plan, prune).refuse > 0) {
      context.error('Nothing was applied, for some of it cannot be.')
      return exitCodes.refused
    }
    const foreign = foreignChanges(plan)
    if (foreign.length > 0 && !values.overwrite) {
      for (const { where, change } of foreign)
        context.error(`${where}: ${nameOfField(change)} was changed on the platform since it was applied last.`)
      context.error('Nothing was applied. `capstan pull` takes these changes into the files; --overwrite writes over them.')
      return exitCodes.refused
    }
    const gameId = await applyPlan({
      ...prepared,
      prune,
      progress: ({ done, total, what }) => context.progress?.(`[${done + 1}/${total}] ${what}`),
    })
    context.progress?.('')
    if (values.json) context.line(JSON.stringify({ ...planForMachines(plan, prune), applied: gameId }, undefined, 2))
    else context.line(`Applied to game ${gameId}.`)
    return exitCodes.done
  },
}
