import { parseArgs } from 'node:util'
import { type Finding, formatFinding } from '@capstan/challenge-files/report'
import { type GameFolder, type LoadedChallenge, loadGameFolder, selectChallenges } from '../game-folder.ts'
import { findFileFaults } from '../resolve/resolve-challenge.ts'
import { type Command, exitCodes } from './command.ts'
import { parseFolderArgument } from './prepare.ts'

/**
 * Returns the faults in the file of a challenge that `plan` would report. Omits faults that depend on the platform or on this
 * machine.
 */
function faultsOf({ tree }: GameFolder, loaded: LoadedChallenge): Finding[] {
  return findFileFaults(tree, loaded).map(({ field, why }) => ({ file: loaded.file, line: 1, field, outcome: 'refused', why }))
}

export const validateCommand: Command = {
  usage: 'capstan validate [--json] [--only PATTERN]… [FOLDER]',
  summary:
    'Checks that every capstan.yaml below a folder is valid, that the files to which it refers exist, and that `capstan plan` accepts it.',
  run: (args, output) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false }, only: { type: 'string', multiple: true } },
    })
    const folder = selectChallenges(loadGameFolder(parseFolderArgument(positionals)), values.only)
    const findings = [...folder.findings, ...folder.challenges.flatMap((loaded) => faultsOf(folder, loaded))]
    const { fileCount } = folder
    const valid = fileCount - new Set(findings.map(({ file }) => file)).size
    if (values.json) output.line(JSON.stringify({ files: fileCount, valid, findings }, undefined, 2))
    else {
      for (const finding of findings) output.line(formatFinding(finding))
      output.line(`${fileCount} files, ${valid} valid`)
    }
    return findings.length === 0 ? exitCodes.done : exitCodes.refused
  },
}
