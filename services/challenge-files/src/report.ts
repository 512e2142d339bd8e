import type { ImportOutcome, ImportRepair } from '@capstan/contract/exchange'
import { type FileTree, printableName } from './tree.ts'

/**
 * Result for a field. `converted`: imported in another form with the same meaning. `left-out`: dropped, because there is no
 * counterpart. `refused`: the challenge cannot be imported.
 */
export type Outcome = ImportOutcome

/** Report about a field that the import changed or dropped, or that made the import refuse the challenge. */
export type Finding = Readonly<{
  file: string
  /** Line of the field or of its nearest known parent, counted from 1. */
  line: number
  /** Path such as `containers.main.replicas`. Empty for the whole file. */
  field: string
  outcome: Outcome
  why: string
  /** Advice for the organizer in one sentence, if there is any. */
  advice?: string
}> &
  Repairable

/** Repair that the import of an archive offers for a finding. */
export type Repairable = Readonly<{
  repair?: ImportRepair
  /** Ports that the files contain. With the repair `port`, the organizer selects one of these ports. */
  ports?: readonly number[]
}>

/**
 * Returns a finding for each file, folder or link that was not read. If there are more than `max` findings, a last finding contains
 * the number of omitted findings.
 */
export function listUnreadFiles({ leftOut = new Map() }: Pick<FileTree, 'leftOut'>, max: number): Finding[] {
  const all = [...leftOut].map(
    ([file, why]): Finding => ({
      file: printableName(file),
      line: 1,
      field: '',
      outcome: 'left-out',
      why: `It ${why}.`,
      advice: 'Rename or replace it if you need it.',
    }),
  )
  if (all.length <= max) return all
  const why = `${all.length - max} more entries are not read.`
  return [...all.slice(0, max), { file: '', line: 1, field: '', outcome: 'left-out', why }]
}

/** Formats a finding like a compiler message: `file:line: field: why advice`. */
export function formatFinding({ file, line, field, outcome, why, advice }: Finding): string {
  return `${file}:${line}: ${outcome}: ${field === '' ? '' : `${field}: `}${why}${advice === undefined ? '' : ` ${advice}`}`
}
