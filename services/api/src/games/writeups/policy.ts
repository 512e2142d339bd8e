import type { ProblemCode } from '@capstan/contract/problems'

/** @returns `writeup.format` unless both the type and the name of the file belong to a PDF */
export function refuseWriteupName(file: {
  readonly fileName: string
  readonly contentType: string
}): Extract<ProblemCode, 'writeup.format'> | undefined {
  const type = file.contentType.split(';')[0]?.trim().toLowerCase()
  return type === 'application/pdf' && file.fileName.toLowerCase().endsWith('.pdf') ? undefined : 'writeup.format'
}
