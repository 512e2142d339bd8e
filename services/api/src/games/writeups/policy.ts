import type { ProblemCode } from '@capstan/contract/problems'

/** @returns `writeup.format` if the type or the name of the file is not that of a PDF */
export function refuseName(file: {
  readonly fileName: string
  readonly contentType: string
}): Extract<ProblemCode, 'writeup.format'> | undefined {
  const type = file.contentType.split(';')[0]?.trim().toLowerCase()
  return type === 'application/pdf' && file.fileName.toLowerCase().endsWith('.pdf') ? undefined : 'writeup.format'
}
