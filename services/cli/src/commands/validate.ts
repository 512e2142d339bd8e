import { parseArgs } from 'node:util'
import { readCapstanFile } from '@capstan/challenge-files/format/read'
import { findingLine } from '@capstan/challenge-files/report'
import { nameOf } from '@capstan/challenge-files/tree'
import { openFolder } from '../folder-tree.ts'
import { type Command, exitCodes, UsageError } from './command.ts'

export const validateCommand: Command = {
  usage: 'capstan validate [--json] FOLDER',
  summary: 'Checks that every capstan.yaml below a folder is valid and that the files in it exist.',
  run: (args, output) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: { json: { type: 'boolean', default: false } },
    })
    const [folder, ...others] = positionals
    if (folder === undefined || others.length > 0) throw new UsageError('Name one folder.')
    const tree = openFolder(folder)
    const read = tree.paths.filter((path) => nameOf(path) === 'capstan.yaml').map((path) => readCapstanFile(tree, path))
    const findings = read.flatMap((each) => each.findings)
    const valid = read.filter((each) => each.findings.length === 0).length
    if (values.json) output.line(JSON.stringify({ files: read.length, valid, findings }, undefined, 2))
    else {
      for (const finding of findings) output.line(findingLine(finding))
      output.line(`${read.length} files, ${valid} valid`)
    }
    return valid === read.length ? exitCodes.done : exitCodes.refused
  },
}
