import { existsSync, statSync } from 'node:fs'
import { join } from 'node:path'
import { parseArgs } from 'node:util'
import { formatChallengeFile } from '@capstan/challenge-files/format/write'
import { groupFindings } from '@capstan/challenge-files/grouped-findings'
import type { Imported } from '@capstan/challenge-files/importers/dialect'
import { importTree, listUnreadDescriptors } from '@capstan/challenge-files/importers/import'
import { createImportComment } from '@capstan/challenge-files/importers/known-names'
import { chooseChallengePaths, type Placed } from '@capstan/challenge-files/importers/place'
import { formatFinding, listUnreadFiles } from '@capstan/challenge-files/report'
import { ImportLimits, InstanceLimits } from '@capstan/contract/limits'
import { openFolder, writeFileInFolder } from '../folder-tree.ts'
import { type Command, exitCodes, UsageError } from './command.ts'
import { formatFindingGroups } from './grouped-findings.ts'
import { importArchive } from './import-archive.ts'

type Count = Readonly<{
  dialect: string
  total: number
  /** Number of imported challenges. `withWarnings` is the number of imported challenges from which fields were left out. */
  imported: number
  withWarnings: number
  refused: number
}>

function countBy(imported: readonly Imported[]): Count[] {
  return [...Map.groupBy(imported, ({ dialect }) => dialect)].map(([dialect, all]) => {
    const done = all.filter(({ challenge }) => challenge !== undefined)
    return {
      dialect,
      total: all.length,
      imported: done.length,
      withWarnings: done.filter(({ findings }) => findings.some(({ outcome }) => outcome === 'left-out')).length,
      refused: all.length - done.length,
    }
  })
}

function countLine({ dialect, total, imported, withWarnings, refused }: Count): string {
  return `${dialect}: ${total} challenges, ${imported} imported (${withWarnings} with fields left out), ${refused} refused`
}

/** Makes a challenge visible to players if it has a flag. */
function enabled(imported: Imported): Imported {
  const { challenge } = imported
  if (challenge === undefined || challenge.flags.length === 0) return imported
  return { ...imported, challenge: { ...challenge, enabled: true } }
}

/**
 * Writes the files of an imported challenge.
 * @returns false if the challenge has a `capstan.yaml`, which was not changed
 */
function writeChallenge(folder: string, { imported, challenge, target }: Placed, isOverwriting: boolean): boolean {
  for (const { path, text } of imported.dockerfiles ?? [])
    if (isOverwriting || !existsSync(join(folder, path))) writeFileInFolder(folder, path, text)
  if (existsSync(join(folder, target)) && !isOverwriting) return false
  const text = formatChallengeFile(challenge, createImportComment(imported.file))
  // The flag `wx` prevents this write from replacing a file that another process creates after the check.
  writeFileInFolder(folder, target, text, isOverwriting ? 'w' : 'wx')
  return true
}

function refusedWrite({ dialect, file, findings }: Imported, error: unknown): Imported {
  const why = error instanceof Error ? error.message : String(error)
  const advice = 'Replace a link by a copy of its target, and import again.'
  return { dialect, file, findings: [...findings, { file, line: 1, field: '', outcome: 'refused', why, advice }] }
}

/**
 * Returns the limits to apply to containers whose descriptors set no limits.
 * @throws UsageError
 */
function limitsOf({ memory, cpu }: Readonly<{ memory?: string; cpu?: string }>) {
  const [memoryMb, cores] = [memory, cpu].map((text) => (text === undefined ? undefined : Number(text)))
  const { minMemoryMb, maxMemoryMb, minCpuTenths, maxCpuTenths } = InstanceLimits
  if (memoryMb !== undefined && !(Number.isInteger(memoryMb) && memoryMb >= minMemoryMb && memoryMb <= maxMemoryMb))
    throw new UsageError(`--memory must be a number of MB from ${minMemoryMb} to ${maxMemoryMb}.`)
  const tenths = cores === undefined ? undefined : Math.round(cores * 10)
  if (tenths !== undefined && !(tenths >= minCpuTenths && tenths <= maxCpuTenths))
    throw new UsageError(`--cpu must be a number of cores from ${minCpuTenths / 10} to ${maxCpuTenths / 10}.`)
  return { ...(memoryMb !== undefined && { memoryMb }), ...(tenths !== undefined && { cpu: tenths / 10 }) }
}

export const importCommand: Command = {
  usage:
    'capstan import [--json] [--verbose] [--dry-run] [--enable-all] [--memory MB] [--cpu CORES] ([--overwrite] FOLDER | [--game NUMBER] [--yes] ARCHIVE.zip)',
  summary:
    'Imports challenges of other platforms from a folder, and writes a capstan.yaml next to each. From an archive (an export of CTFd or a game package), it creates a game on the platform.',
  run: (args, context) => {
    const { values, positionals } = parseArgs({
      args: [...args],
      allowPositionals: true,
      options: {
        json: { type: 'boolean', default: false },
        'dry-run': { type: 'boolean', default: false },
        overwrite: { type: 'boolean', default: false },
        game: { type: 'string' },
        yes: { type: 'boolean', default: false },
        verbose: { type: 'boolean', default: false },
        'enable-all': { type: 'boolean', default: false },
        memory: { type: 'string' },
        cpu: { type: 'string' },
      },
    })
    const [folder, ...others] = positionals
    if (folder === undefined || others.length > 0) throw new UsageError('Specify exactly one folder or archive.')
    if (statSync(folder, { throwIfNoEntry: false })?.isFile()) {
      if (values.overwrite) throw new UsageError('--overwrite applies only to folders.')
      const { json, game, yes, verbose } = values
      const { memoryMb, cpu } = limitsOf(values)
      const repairs = {
        ...(values['enable-all'] && { enableAll: true }),
        ...(memoryMb !== undefined && { defaultMemoryMb: memoryMb }),
        ...(cpu !== undefined && { defaultCpuTenths: Math.round(cpu * 10) }),
      }
      const isDryRun = values['dry-run']
      return importArchive(folder, { isJson: json, isVerbose: verbose, isDryRun, isConfirmed: yes, game, repairs }, context)
    }
    if (values.game !== undefined || values.yes) throw new UsageError('--game and --yes apply only to archives.')
    const tree = openFolder(folder)
    const read = importTree(tree, limitsOf(values))
    const wanted = values['enable-all'] ? read.map(enabled) : read
    const existing: string[] = []
    const unwritten = new Map<Imported, Imported>()
    for (const placed of values['dry-run'] ? [] : chooseChallengePaths(tree, wanted)) {
      try {
        if (!writeChallenge(folder, placed, values.overwrite)) existing.push(placed.target)
      } catch (error) {
        // If a challenge cannot be written, continue with the other challenges. For example, the path of the challenge may
        // contain a link.
        unwritten.set(placed.imported, refusedWrite(placed.imported, error))
      }
    }
    const imported = wanted.map((each) => unwritten.get(each) ?? each)
    const unread = listUnreadDescriptors(tree, imported)
    const leftOut = listUnreadFiles(tree, ImportLimits.findingsOfChallenge)
    const counts = countBy(imported)
    if (values.json) context.line(JSON.stringify({ challenges: imported, kept: existing, unread, leftOut, counts }, undefined, 2))
    else {
      const findings = [...imported.flatMap((each) => each.findings), ...leftOut]
      for (const line of values.verbose ? findings.map(formatFinding) : formatFindingGroups(groupFindings(findings)))
        context.line(line)
      for (const path of existing) context.line(`${path}: exists and was not changed; use --overwrite to replace it`)
      for (const path of unread) context.line(`${path}: is not imported, because its format is not known`)
      for (const count of counts) context.line(countLine(count))
      if (imported.length === 0)
        context.error(
          `No challenge of rcds, ctfcli, kCTF, Konata, klodd or a CTFd spreadsheet, and no compose file, was found below ${folder}.`,
        )
    }
    return imported.length === 0 || counts.some(({ refused }) => refused > 0) ? exitCodes.refused : exitCodes.done
  },
}
