import type { ImportOutcome } from '@capstan/contract/exchange'
import { type FileTree, plainName } from './tree.ts'

/**
 * Result for a field: `converted` keeps its meaning in another form, `left-out` drops it without a counterpart, `refused`
 * prevents the import of the challenge.
 */
export type Outcome = ImportOutcome

/** Field of a file that was not imported unchanged. */
export type Finding = Readonly<{
  file: string
  /** Nearest known line, from 1. */
  line: number
  /** Path such as `containers.main.replicas`; empty for the whole file. */
  field: string
  outcome: Outcome
  why: string
  /** Advice for the organizer in one sentence, if there is any. */
  advice?: string
}>

/** Returns findings for entries of a tree that are not read, in their order and at most `max`. */
export function findingsOfLeftOut({ leftOut = new Map() }: FileTree, max: number): Finding[] {
  const all = [...leftOut].map(
    ([file, why]): Finding => ({
      file: plainName(file),
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

/** Formats a finding as compilers do: `file:line: field: why advice`. */
export function findingLine({ file, line, field, outcome, why, advice }: Finding): string {
  return `${file}:${line}: ${outcome}: ${field === '' ? '' : `${field}: `}${why}${advice === undefined ? '' : ` ${advice}`}`
}
