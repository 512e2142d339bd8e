import { isRecord, toText } from '../record.ts'
import type { Finding } from '../report.ts'
import type { Source } from '../yaml.ts'

/** Returns a finding for each document of a file after the first one, because only the first one is imported. */
export function reportIgnoredDocuments(further: readonly Source[]): Finding[] {
  return further
    .filter(({ value }) => value !== null)
    .map(({ file, lineOf, value }) => ({
      file,
      line: lineOf(isRecord(value) ? Object.keys(value).slice(0, 1) : []),
      field: '',
      outcome: 'left-out',
      why: 'Only the first document of a file is imported.',
      advice: 'Move each document to a separate folder.',
    }))
}

/** Returns a finding for each Kubernetes object that a file contains in addition to the challenge. */
export function reportIgnoredObjects(others: readonly Source[]): Finding[] {
  return others
    .filter(({ value }) => value !== null)
    .map(({ file, lineOf, value }) => ({
      file,
      line: lineOf(['kind']),
      field: 'kind',
      outcome: 'left-out',
      why: `The object \`${toText(isRecord(value) ? value.kind : value)}\` next to the challenge is not created.`,
      advice: 'Put what the challenge needs into its image.',
    }))
}
