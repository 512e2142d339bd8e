import { isRecord, toText } from '../record.ts'
import type { Finding } from '../report.ts'
import type { Source } from '../yaml.ts'

/** Returns a finding for each document of a file except the first document, because only the first document is imported. */
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

/** Returns findings for parts of a file that YAML allows, but that may have another meaning to its author. */
export function reportOddSyntax({ file, unknownTags = [], repeatedKeys = [] }: Source): Finding[] {
  return [
    ...unknownTags.map(({ line, tag }) => ({
      ...{ file, line, field: '', outcome: 'converted' as const },
      why: `The tag \`${tag}\` is unknown, so the text after it is read as it is.`,
      advice: 'Check the value, and write it without the tag.',
    })),
    ...repeatedKeys.map(({ line, key }) => ({
      ...{ file, line, field: key, outcome: 'left-out' as const },
      why: 'The key occurs several times, so only its last value is imported.',
      advice: 'Remove the other values.',
    })),
  ]
}
