import { openAsBlob, readFileSync, statSync } from 'node:fs'
import { basename } from 'node:path'
import { blob } from 'node:stream/consumers'
import { isCsvFileName } from '@capstan/challenge-files/importers/ctfd-sheet'
import { formatFinding } from '@capstan/challenge-files/report'
import type { ImportFinding as FileFinding, ImportedChallenge, ImportPreview, ImportRepairs } from '@capstan/contract/exchange'
import type { CtfdImportFinding, ImportReport } from '@capstan/contract/imports'
import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { unzipSync } from 'fflate'
import { streamZip } from '../content.ts'
import type { Platform, UploadFile } from '../platform.ts'
import { type Context, type ExitCode, exitCodes, UsageError } from './command.ts'
import { formatFindingGroups } from './grouped-findings.ts'
import { connectWithWarning, parseGameNumber } from './prepare.ts'

export type ArchiveOptions = Readonly<{
  isJson: boolean
  /** True if all findings are printed one by one. */
  isVerbose: boolean
  isDryRun: boolean
  /** True if the import needs no confirmation. */
  isConfirmed: boolean
  /** Value of the option `--game`, as the user entered it. */
  game: string | undefined
  repairs: ImportRepairs
}>

type Kind = 'ctfd' | 'package' | 'challenges'

/** @returns the kind of an archive, according to the names of its files */
function kindOf(path: string): Kind {
  const { size } = statSync(path)
  if (size >= Limits.maxImportBytes) throw new Error(`${path} is larger than ${Limits.maxImportBytes / 1024 / 1024} MB.`)
  const names = new Set<string>()
  try {
    unzipSync(readFileSync(path), {
      filter: ({ name }) => {
        names.add(name)
        return false
      },
    })
  } catch {
    throw new Error(`${path} is not a zip file.`)
  }
  // Recognize an export of CTFd even if it is in a folder of the archive. The platform then reports how to correct the archive.
  if ([...names].some((name) => /(?:^|\/)db\/config\.json$/.test(name))) return 'ctfd'
  return names.has('manifest.json') && names.has('game.json') ? 'package' : 'challenges'
}

const rowsShown = 5

function ctfdLine({ table, field, outcome, why, advice, rows, count }: CtfdImportFinding): string {
  const place = [table, field].filter((part) => part !== '').join('.')
  const some = rows.slice(0, rowsShown).join(', ')
  const which = rows.length === 0 ? `${count} rows` : count > rowsShown ? `rows ${some} … (${count})` : `rows ${some}`
  return `${place}: ${outcome}: ${why}${advice === null ? '' : ` ${advice}`} [${which}]`
}

function ctfdLines({ title, counts, findings, differences, differenceCount, rankedTeams, start, end }: ImportReport): string[] {
  return [
    ...findings.map(ctfdLine),
    ...differences.map(({ team, theirs, ours }) => `${team}: ${theirs} points in CTFd, ${ours} points here`),
    `"${title}", ${start} to ${end}: ${counts.users} new accounts (${counts.matchedUsers} already exist), ${counts.teams} teams, ${counts.challenges} challenges with ${counts.flags} flags, ${counts.hints} hints and ${counts.files} files, ${counts.submissions} submissions, ${counts.solves} solves, ${counts.awards} awards, ${counts.posts} posts, ${counts.notices} notices`,
    differenceCount === 0
      ? `All ${rankedTeams} teams have the same points as in CTFd.`
      : `${differenceCount} of ${rankedTeams} teams have different points than in CTFd.`,
  ]
}

function withoutNull<Advised extends { readonly advice: string | null }>({ advice, ...others }: Advised) {
  return { ...others, ...(advice !== null && { advice }) }
}

function lineOf(finding: FileFinding): string {
  return formatFinding(withoutNull(finding))
}

function challengeLine({ file, title, category, type, isRefused, isKnown }: ImportedChallenge): string {
  return `${file}: ${isRefused ? 'refused' : `${category}, ${type}`}: ${title}${isKnown ? ' (the game already has a challenge with this title)' : ''}`
}

function previewLines({ findings = [], groups, challenges }: ImportPreview, isVerbose: boolean): string[] {
  const grouped = groups.map((group) => ({ ...withoutNull(group), findings: group.findings.map(withoutNull) }))
  const reported = isVerbose ? challenges.flatMap((challenge) => challenge.findings.map(lineOf)) : formatFindingGroups(grouped)
  return [...findings.map(lineOf), ...reported, ...challenges.map(challengeLine)]
}

type Job = Readonly<{
  platform: Platform
  files: readonly UploadFile[]
  options: ArchiveOptions
  context: Context
}>

/** True if the user must first confirm the import at the terminal. With `--json` the command asks nothing. */
function isAsking({ options, context }: Job): boolean {
  return context.ask !== undefined && !options.isConfirmed && !options.isJson
}

async function isWanted(job: Job): Promise<boolean> {
  if (!isAsking(job)) return true
  const answer = (await job.context.ask?.('Import this? (yes/no)', false)) ?? ''
  const isYes = /^y(?:es)?$/i.test(answer.trim())
  if (!isYes) job.context.error('Nothing was imported.')
  return isYes
}

function tell({ options, context }: Job, lines: readonly string[]): void {
  context.progress?.('')
  if (!options.isJson) for (const line of lines) context.line(line)
}

function finish({ options, context }: Job, report: object): ExitCode {
  if (options.isJson) context.line(JSON.stringify(report, undefined, 2))
  return exitCodes.done
}

async function importCtfd(job: Job): Promise<ExitCode> {
  const { platform, files, options, context } = job
  const send = (preview: boolean) => {
    context.progress?.(preview ? 'Reading the export …' : 'Importing the export …')
    return platform.call(ownOperations.importCtfd, { query: { preview }, files })
  }
  const shown = options.isDryRun || isAsking(job) ? await send(true) : undefined
  if (shown) tell(job, ctfdLines(shown))
  if (shown && options.isDryRun) return finish(job, shown)
  if (!(await isWanted(job))) return exitCodes.refused
  const made = await send(false)
  tell(job, [...(shown ? [] : ctfdLines(made)), `Imported as the hidden game ${made.gameId}.`])
  return finish(job, made)
}

async function importChallenges(job: Job, id: number): Promise<ExitCode> {
  const { platform, files, options, context } = job
  context.progress?.('Reading the archive …')
  const { repairs, isVerbose } = options
  const preview = await platform.call(ownOperations.previewImport, { params: { id }, query: repairs, files })
  const refused = preview.challenges.filter(({ isRefused }) => isRefused).length
  const code = refused > 0 ? exitCodes.refused : exitCodes.done
  tell(job, previewLines(preview, isVerbose))
  if (options.isDryRun) {
    tell(job, [`${preview.challenges.length} challenges, ${refused} refused`])
    finish(job, { preview, challenges: [] })
    return code
  }
  if (!(await isWanted(job))) return exitCodes.refused
  context.progress?.('Importing the archive …')
  const query = { ...repairs, digest: preview.digest }
  const { challenges } = await platform.call(ownOperations.importChallenges, { params: { id }, query, files })
  const enabled = preview.challenges.filter(({ isEnabled }) => isEnabled).length
  tell(job, [`Imported ${challenges.length} challenges into game ${id}; ${enabled} are enabled. ${refused} were refused.`])
  finish(job, { preview, challenges })
  return code
}

async function importPackage(job: Job): Promise<ExitCode> {
  if (!(await isWanted(job))) return exitCodes.refused
  job.context.progress?.('Importing the package …')
  const gameId = await job.platform.call(ownOperations.importGame, { files: job.files })
  tell(job, [`Imported as the hidden game ${gameId}; its challenges are disabled.`])
  return finish(job, { gameId })
}

/**
 * Imports an archive on the platform. An export of CTFd or a game package becomes a game. With `--game`, the challenges of the
 * archive are added to that game instead. The platform imports everything or nothing.
 */
export async function importArchive(path: string, options: ArchiveOptions, context: Context): Promise<ExitCode> {
  const game = parseGameNumber(options.game)
  const isSheetAlone = isCsvFileName(path)
  const kind = isSheetAlone ? 'challenges' : kindOf(path)
  if (kind === 'ctfd' && game !== undefined)
    throw new UsageError('--game does not apply to an export of CTFd, which always becomes a new game.')
  if (kind === 'challenges' && game === undefined)
    throw new UsageError(
      'The archive contains no game. Use --game to select the game that receives the challenges, or unpack the archive and import the folder.',
    )
  if (kind === 'package' && game === undefined && options.isDryRun)
    throw new UsageError('To preview a package, add --game. The preview shows what would be added to that game.')
  if (game === undefined && Object.keys(options.repairs).length > 0)
    throw new UsageError('--enable-all, --memory and --cpu apply only to folders, and to archives with --game.')
  const name = basename(path)
  const files = isSheetAlone
    ? [{ name: `${name}.zip`, content: await blob(streamZip([{ name, path }])) }]
    : [{ name, content: await openAsBlob(path) }]
  const job: Job = { platform: connectWithWarning(context), files, options, context }
  if (kind === 'ctfd') return importCtfd(job)
  return game === undefined ? importPackage(job) : importChallenges(job, game)
}
