import { importCompose } from '@capstan/challenge-files/importers/import'
import { isComposeFileName } from '@capstan/challenge-files/importers/service-files'
import type { FileTree } from '@capstan/challenge-files/tree'
import type { Reason } from './reason.ts'

export type ComposeSurvey = Readonly<{
  files: number
  /** Number of files whose services become containers. */
  usable: number
  refused: readonly Reason[]
  /** Reasons why the import omits parts of a compose file, the most frequent first. */
  losses: readonly Readonly<{ why: string; count: number }>[]
}>

export function sumComposeSurveys(surveys: readonly ComposeSurvey[]): ComposeSurvey {
  const losses = Map.groupBy(
    surveys.flatMap((survey) => survey.losses),
    ({ why }) => why,
  )
  return {
    files: surveys.reduce((sum, { files }) => sum + files, 0),
    usable: surveys.reduce((sum, { usable }) => sum + usable, 0),
    refused: surveys.flatMap(({ refused }) => refused),
    losses: [...losses]
      .map(([why, all]) => ({ why, count: all.reduce((sum, { count }) => sum + count, 0) }))
      .toSorted((left, right) => right.count - left.count),
  }
}

/** Imports each compose file of a tree, and returns statistics of the results. */
export function surveyCompose(tree: FileTree): ComposeSurvey {
  const read = tree.paths.filter(isComposeFileName).map((file) => ({ file, imported: importCompose(tree, file) }))
  return sumComposeSurveys(
    read.map(({ file, imported: { challenge, findings } }) => ({
      files: 1,
      usable: challenge === undefined ? 0 : 1,
      refused: findings
        .filter(({ outcome }) => outcome === 'refused')
        .map(({ line, field, why }) => ({ file: `${file}:${line}`, why: `${field}: ${why}` })),
      losses: findings
        .filter(({ outcome, advice }) => outcome === 'left-out' && advice !== undefined)
        .map(({ why }) => ({ why, count: 1 })),
    })),
  )
}
