import { importCompose, importDescriptor, importTree, listUnreadDescriptors } from '@capstan/challenge-files/importers/import'
import { chooseChallengePaths } from '@capstan/challenge-files/importers/place'
import { formatFinding } from '@capstan/challenge-files/report'
import type { FileTree } from '@capstan/challenge-files/tree'
import { type ComposeSurvey, sumComposeSurveys, surveyCompose } from './compose-files.ts'
import { findJailedImages, type JailedImage } from './jailed-images.ts'
import type { Reason } from './reason.ts'
import { checkRoundTrip } from './round-trip.ts'
import { findUnreportedKeys } from './unnamed-keys.ts'

export type DialectSurvey = Readonly<{
  dialect: string
  descriptors: number
  /** Number of challenges that are imported without edits. */
  imported: number
  /** Number of imported descriptors with findings. */
  withWarnings: number
  refused: readonly Reason[]
  unchanged: number
  /** Number of unchanged challenges with files that are missing in the repository. */
  waiting: number
  changed: number
  /** Challenges that change when they are written and read again, with the reason. */
  changes: readonly Reason[]
  /** Fields of descriptors that the import drops without a report. */
  unnamed: readonly Reason[]
}>

export type Survey = Readonly<{
  dialects: readonly DialectSurvey[]
  /** Files that have the name of a descriptor, but no known dialect. */
  passedOver: readonly string[]
  jails: readonly JailedImage[]
  compose: ComposeSurvey
}>

function empty(dialect: string): DialectSurvey {
  return {
    dialect,
    descriptors: 0,
    imported: 0,
    withWarnings: 0,
    refused: [],
    unchanged: 0,
    waiting: 0,
    changed: 0,
    changes: [],
    unnamed: [],
  }
}

function add(a: DialectSurvey, b: DialectSurvey): DialectSurvey {
  return {
    dialect: a.dialect,
    descriptors: a.descriptors + b.descriptors,
    imported: a.imported + b.imported,
    withWarnings: a.withWarnings + b.withWarnings,
    refused: [...a.refused, ...b.refused],
    unchanged: a.unchanged + b.unchanged,
    waiting: a.waiting + b.waiting,
    changed: a.changed + b.changed,
    changes: [...a.changes, ...b.changes],
    unnamed: [...a.unnamed, ...b.unnamed],
  }
}

export function sumSurveys(surveys: readonly Survey[]): Survey {
  return {
    dialects: [
      ...Map.groupBy(
        surveys.flatMap(({ dialects }) => dialects),
        ({ dialect }) => dialect,
      ),
    ].map(([dialect, all]) => all.reduce(add, empty(dialect))),
    passedOver: surveys.flatMap(({ passedOver }) => passedOver),
    jails: surveys.flatMap(({ jails }) => jails),
    compose: sumComposeSurveys(surveys.map(({ compose }) => compose)),
  }
}

function importerOf(dialect: string) {
  return dialect === 'compose' ? (tree: FileTree, file: string) => [importCompose(tree, file)] : importDescriptor
}

/**
 * Measures how well the challenges of a repository are imported. It writes nothing.
 * @param tree a checked-out repository
 */
export function surveyTree(tree: FileTree): Survey {
  const found = importTree(tree)
  const placed = new Map(chooseChallengePaths(tree, found).map((each) => [each.imported, each]))
  const dialects = found.flatMap((imported): DialectSurvey[] => {
    const { dialect, file, challenge, deployment, findings } = imported
    const written = placed.get(imported)
    const trip = written && checkRoundTrip(tree, written)
    const files = [{ dialect, file }, ...(deployment === undefined ? [] : [deployment])]
    return files.map((each) => ({
      ...empty(each.dialect),
      descriptors: 1,
      imported: challenge === undefined ? 0 : 1,
      withWarnings: challenge !== undefined && findings.length > 0 ? 1 : 0,
      refused:
        challenge === undefined
          ? findings.filter(({ outcome }) => outcome === 'refused').map((finding) => ({ file, why: formatFinding(finding) }))
          : [],
      unchanged: trip?.outcome === 'unchanged' ? 1 : 0,
      waiting: trip?.outcome === 'waiting' ? 1 : 0,
      changed: trip?.outcome === 'changed' ? 1 : 0,
      changes: trip?.outcome === 'changed' ? trip.reasons.map((why) => ({ file, why })) : [],
      unnamed:
        challenge === undefined
          ? []
          : findUnreportedKeys(tree, each.file, importerOf(each.dialect)).map((key) => ({ file: key.file, why: key.field })),
    }))
  })
  return {
    ...sumSurveys([{ dialects, passedOver: [], jails: [], compose: sumComposeSurveys([]) }]),
    passedOver: listUnreadDescriptors(tree, found),
    jails: findJailedImages(tree),
    compose: surveyCompose(tree),
  }
}
