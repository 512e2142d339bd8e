import { mkdirSync } from 'node:fs'
import { parseArgs } from 'node:util'
import { schemaPath } from '@capstan/challenge-files/format/json-schema'
import { formatFinding } from '@capstan/challenge-files/report'
import { ownOperations } from '@capstan/contract/operations'
import { findPlatformLogin } from '../connection.ts'
import { loadGameFolder } from '../game-folder.ts'
import { pullGameIntoFolder } from '../pull/pull.ts'
import { type Command, exitCodes, UsageError } from './command.ts'
import { chooseGame, connectWithWarning, createResolveContext, parseFolderArgument, parseGameNumber } from './prepare.ts'

export const pullCommand: Command = {
  usage: 'capstan pull [--game NUMBER] [FOLDER]',
  summary: 'Downloads a game from the platform into files. It preserves comments and unchanged values in existing files.',
  run: async (args, context) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { game: { type: 'string' } },
    })
    const root = parseFolderArgument(positionals)
    mkdirSync(root, { recursive: true })
    const folder = loadGameFolder(root)
    for (const finding of folder.findings) context.error(formatFinding(finding))
    if (folder.findings.length > 0) return exitCodes.refused
    const platform = connectWithWarning(context)
    const gameId = await chooseGame(platform, parseGameNumber(values.game), folder.game?.game.name)
    if (gameId === undefined)
      throw new UsageError('No game on the platform has the name in capstan.yaml. Use --game with the number of a game.')
    const { scope } = await platform.call(ownOperations.getEditGrant)
    const { written, missing } = await pullGameIntoFolder({
      platform,
      folder,
      gameId,
      resolveContext: createResolveContext(context, folder, undefined),
      schema: `${findPlatformLogin(context).url}${schemaPath}`,
      mayStoreSource: scope !== 'ReadGame',
      progress: ({ done, total, what }) => context.progress?.(`[${done + 1}/${total}] ${what}`),
    })
    context.progress?.('')
    for (const path of written) context.line(`updated: ${path}`)
    for (const path of missing) context.line(`not on the platform: ${path}`)
    context.line(written.length === 0 ? 'The files match the platform.' : `Updated ${written.length} files.`)
    return exitCodes.done
  },
}
