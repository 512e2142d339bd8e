import { existsSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { formatComposeFile } from '@capstan/challenge-files/compose/write'
import { containersOf } from '@capstan/challenge-files/format/challenge'
import { isComposeFileName } from '@capstan/challenge-files/importers/service-files'
import { folderOf as folderOfPath, joinPath } from '@capstan/challenge-files/tree'
import { writeFileInFolder } from '../folder-tree.ts'
import { type Command, exitCodes, UsageError } from './command.ts'
import { loadValidFolder, parseFolderArgument } from './prepare.ts'

const composeName = 'compose.yaml'

export const exportCommand: Command = {
  usage: 'capstan export --compose [--overwrite] [--only PATTERN]… [FOLDER]',
  summary: `Writes a ${composeName} next to each challenge with containers, so that \`docker compose up\` runs it on this machine.`,
  run: (args, context) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        compose: { type: 'boolean', default: false },
        overwrite: { type: 'boolean', default: false },
        only: { type: 'string', multiple: true },
      },
    })
    if (!values.compose) throw new UsageError('Specify the format: --compose.')
    const folder = loadValidFolder(parseFolderArgument(positionals), context, values.only)
    if (!folder) return exitCodes.refused
    const { root, paths } = folder.tree
    let failures = folder.unreadable.length
    for (const { file, folder: home, challenge } of folder.challenges.filter((each) => containersOf(each.challenge).length > 0)) {
      const text = formatComposeFile(challenge)
      const target = joinPath(home, composeName)
      const present = paths.find((path) => folderOfPath(path) === home && isComposeFileName(path))
      if (text === undefined) {
        context.error(`${file}: A container has neither an image nor a build, so it is not exported.`)
        failures += 1
      } else if (!values.overwrite && (present !== undefined || existsSync(join(root, target))))
        context.line(`${present ?? target}: exists and was not changed; use --overwrite to write ${target}`)
      else {
        writeFileInFolder(root, target, text)
        context.line(target)
      }
    }
    return failures > 0 ? exitCodes.refused : exitCodes.done
  },
}
