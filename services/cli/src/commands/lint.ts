import { parseArgs } from 'node:util'
import { formatFinding } from '@capstan/challenge-files/report'
import { loadGameFolder, selectChallenges } from '../game-folder.ts'
import { findDockerfileFaults } from '../lint/dockerfile-faults.ts'
import { findFlagFaults } from '../lint/flag-faults.ts'
import { formatLintFinding } from '../lint/lint-finding.ts'
import { type Command, exitCodes } from './command.ts'
import { environmentForAuthorCommands, parseFolderArgument } from './prepare.ts'

export const lintCommand: Command = {
  usage: 'capstan lint [--json] [--only PATTERN]… [FOLDER]',
  summary:
    'Finds files for players that contain a flag, Dockerfiles without EXPOSE, and images that run as root, in the challenges of a folder.',
  run: (args, context) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false }, only: { type: 'string', multiple: true } },
    })
    const {
      tree,
      challenges,
      findings: refusals,
    } = selectChallenges(loadGameFolder(parseFolderArgument(positionals)), values.only)
    const environment = environmentForAuthorCommands(context)
    const findings = challenges.flatMap((loaded) => [
      ...findFlagFaults(tree, loaded, environment),
      ...findDockerfileFaults(tree, loaded),
    ])
    if (values.json) context.line(JSON.stringify({ challenges: challenges.length, refusals, findings }, undefined, 2))
    else {
      for (const refusal of refusals) context.line(formatFinding(refusal))
      for (const finding of findings) context.line(formatLintFinding(finding))
      context.line(`${challenges.length} challenges, ${findings.length} findings`)
    }
    return findings.length + refusals.length === 0 ? exitCodes.done : exitCodes.refused
  },
}
