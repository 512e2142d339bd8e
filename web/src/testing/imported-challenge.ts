import type { ImportedChallenge } from '@capstan/contract/exchange'

/** Returns a challenge in the form that the preview of an import receives from the server. */
export function anImportedChallenge(values: Partial<ImportedChallenge> = {}): ImportedChallenge {
  return {
    position: 0,
    file: 'buoy/capstan.yaml',
    dialect: 'capstan',
    title: 'Buoy',
    category: 'Misc',
    type: 'StaticAttachment',
    content: '',
    originalScore: 500,
    minScore: 125,
    flagCount: 1,
    flagTemplate: null,
    hintCount: 0,
    attachments: [],
    container: null,
    dockerfile: null,
    isEnabled: false,
    isRefused: false,
    isKnown: false,
    findings: [],
    ...values,
  }
}
