import type { ChallengeFlag } from '@capstan/challenge-files/challenge/challenge'
import { matchFlags, subtractFlags } from '@capstan/challenge-files/challenge/flags'
import { fieldNameInFile } from '../state/paths-in-file.ts'
import type { FieldChange } from './diff.ts'
import { type ChallengePlan, countPlannedChanges, type Plan } from './plan.ts'

export type Paint = Readonly<{
  add: (text: string) => string
  change: (text: string) => string
  remove: (text: string) => string
  warn: (text: string) => string
}>

function plain(text: string): string {
  return text
}
function inColour(code: number) {
  return (text: string) => `\u001b[${code}m${text}\u001b[0m`
}

function paintFor(hasColours: boolean): Paint {
  return hasColours
    ? { add: inColour(32), change: inColour(33), remove: inColour(31), warn: inColour(35) }
    : { add: plain, change: plain, remove: plain, warn: plain }
}

const maxPrintedLength = 100

/** Formats a value on one line. The result has no characters that move the cursor of a terminal. */
function shown(value: unknown): string {
  const text = JSON.stringify(value) ?? 'nothing'
  return text.length > maxPrintedLength ? `${text.slice(0, maxPrintedLength)}…` : text
}

/** Replaces control characters, because names come from files and from the platform. */
function visible(text: string): string {
  return text.replaceAll(/\p{Cc}/gu, ' ')
}

function countOfFlags({ from, to }: FieldChange, made: number): string {
  const [before, after] = [from as readonly ChallengeFlag[], to as readonly ChallengeFlag[]]
  const equal = matchFlags(after, before)
  const revalued = after.filter(({ points }, index) => equal[index] !== undefined && equal[index].points !== points).length
  const counts = `${subtractFlags(after, before).length + made} added, ${subtractFlags(before, after).length} removed`
  return revalued === 0 ? counts : `${counts}, ${revalued} with changed points`
}

function linesOf(text: string): string[] {
  return text.split('\n')
}

/** Returns the numbers of added and removed lines of a text with several lines. */
function countOfLines(from: string, to: string): string {
  const [before, after] = [linesOf(from), linesOf(to)]
  const [known, wanted] = [new Set(before), new Set(after)]
  return `${after.filter((line) => !known.has(line)).length} lines added, ${before.filter((line) => !wanted.has(line)).length} removed`
}

/** Describes the old and the new value of a field. It shows no secrets. */
function describeChange(change: FieldChange, made = 0): string {
  const { field, from, to, isSecret, isUnknown } = change
  if (isUnknown) return 'known after apply'
  if (field === 'flags') return countOfFlags(change, made)
  if (isSecret) return 'changes (not shown)'
  if (typeof from === 'string' && typeof to === 'string' && (from.includes('\n') || to.includes('\n')))
    return countOfLines(from, to)
  return `${shown(from)} → ${shown(to)}`
}

function changeLine(change: FieldChange, made: number, paint: Paint): string {
  return `    ${paint.change('~')} ${fieldNameInFile(change)}: ${describeChange(change, made)}${
    change.isForeign ? paint.warn(' (changed on the platform since the last apply)') : ''
  }`
}

function madeBy({ wanted }: ChallengePlan): number {
  return wanted?.toMake?.count ?? 0
}

function challengeLines(plan: ChallengePlan, paint: Paint): string[] {
  const { loaded, action, changes, refusal, wanted } = plan
  const title = `challenge ${loaded.challenge.name} "${visible(loaded.challenge.title)}"`
  const notes = (wanted?.notes ?? []).map((note) => `    ${paint.warn('!')} ${note}`)
  if (action === 'refuse') return [`  ${paint.remove('x')} ${title}`, `    ${loaded.file}: ${refusal}`]
  if (action === 'create') return [`  ${paint.add('+')} ${title}`, ...notes]
  const lines = changes.map((change) => changeLine(change, madeBy(plan), paint))
  if (action === 'update') return [`  ${paint.change('~')} ${title}`, ...lines, ...notes]
  return notes.length > 0 ? [`    ${title}`, ...notes] : []
}

export function formatPlan(plan: Plan, options: Readonly<{ prune: boolean; hasColours: boolean }>): string[] {
  const paint = paintFor(options.hasColours)
  const title = plan.game.wanted?.state.title ?? plan.present?.game.title ?? ''
  const { present, game } = plan
  const counts = countPlannedChanges(plan, options.prune)
  const head = present ? `Game ${present.game.id} "${visible(present.game.title)}"` : `${paint.add('+')} game "${visible(title)}"`
  return [
    head,
    ...game.changes.map((change) => changeLine(change, 0, paint)),
    ...plan.challenges.flatMap((challenge) => challengeLines(challenge, paint)),
    ...plan.deletions.map(({ present: deleted, refusal }) => {
      const what = `challenge ${deleted.source?.name} "${visible(deleted.challenge.title)}": its file was deleted`
      if (refusal !== undefined) return `  ${paint.warn('!')} ${what}. ${refusal}`
      return options.prune ? `  ${paint.remove('-')} ${what}` : `  ${paint.warn('!')} ${what}; use --prune to delete it`
    }),
    ...plan.others.map(
      ({ challenge }) => `  ${paint.warn('!')} "${visible(challenge.title)}" has no file, so apply does not change it`,
    ),
    counts.add + counts.change + counts.delete + counts.refuse === 0
      ? 'No changes.'
      : `${counts.add} to add, ${counts.change} to change, ${counts.delete} to delete, ${counts.refuse} refused.`,
  ]
}

function changeForMachines(change: FieldChange, made = 0) {
  return {
    field: fieldNameInFile(change),
    changedOnPlatform: change.isForeign,
    ...(change.isSecret
      ? { secret: true, summary: describeChange(change, made) }
      : { from: change.from, ...(change.isUnknown ? { knownAfterApply: true } : { to: change.to }) }),
  }
}

/** Formats a plan for programs. It contains no secrets. */
export function planAsJson(plan: Plan, prune: boolean) {
  return {
    counts: countPlannedChanges(plan, prune),
    game: {
      id: plan.present?.game.id ?? null,
      action: plan.game.action,
      changes: plan.game.changes.map((change) => changeForMachines(change)),
    },
    challenges: plan.challenges.map((challenge) => ({
      name: challenge.loaded.challenge.name,
      file: challenge.loaded.file,
      id: challenge.present?.id ?? null,
      action: challenge.action,
      ...(challenge.refusal !== undefined && { refusal: challenge.refusal }),
      changes: challenge.changes.map((change) => changeForMachines(change, madeBy(challenge))),
      notes: challenge.wanted?.notes ?? [],
    })),
    deletions: plan.deletions.map(({ present, refusal }) => ({
      name: present.source?.name ?? null,
      id: present.id,
      title: present.challenge.title,
      ...(refusal !== undefined && { refusal }),
    })),
    others: plan.others.map(({ id, challenge }) => ({ id, title: challenge.title })),
  }
}
