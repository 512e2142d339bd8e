import type { ImportOutcome } from '@capstan/contract/exchange'
import { type FileTree, plainName } from './tree.ts'

/**
 * What became of a field: `converted` says the same in other words, `left-out` has no counterpart and is dropped, `refused` keeps
 * the whole challenge from being imported.
 */
export type Outcome = ImportOutcome

/** A field of a file that was not taken over as it stands. */
export type Finding = Readonly<{
  /** Path in the tree. */
  file: string
  /** From 1; the nearest that is known. */
  line: number
  /** As `containers.main.replicas`; empty for the whole file. */
  field: string
  outcome: Outcome
  /** One sentence. */
  why: string
  /** What the organizer can do; one sentence, where there is anything to do. */
  advice?: string
}>

/** Findings of the entries of a tree that are not read, in their order and at most `max`. */
export function findingsOfLeftOut({ leftOut = new Map() }: FileTree, max: number): Finding[] {
  const all = [...leftOut].map(
    ([file, why]): Finding => ({
      file: plainName(file),
      line: 1,
      field: '',
      outcome: 'left-out',
      why: `It ${why}.`,
      advice: 'Rename or replace it if it is needed.',
    }),
  )
  if (all.length <= max) return all
  const why = `${all.length - max} more entries are not read.`
  return [...all.slice(0, max), { file: '', line: 1, field: '', outcome: 'left-out', why }]
}

/** `file:line: field: why advice`, as compilers print it. */
export function findingLine({ file, line, field, outcome, why, advice }: Finding): string {
  return `${file}:${line}: ${outcome}: ${field === '' ? '' : `${field}: `}${why}${advice === undefined ? '' : ` ${advice}`}`
}
