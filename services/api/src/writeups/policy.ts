import type { ProblemCode } from '@capstan/contract/problems'

const magic = '%PDF-'

/** Bytes from the start that `isPdf` wants to see. */
export const pdfMagicBytes = magic.length

/** Whether content starts as a PDF does, whatever its sender calls it. */
export const isPdf = (head: Buffer): boolean => head.toString('latin1', 0, magic.length) === magic

/** @returns `writeup.format` unless the sender calls it a PDF by type and by name */
export const refuseName = (file: {
  readonly fileName: string
  readonly contentType: string
}): Extract<ProblemCode, 'writeup.format'> | undefined => {
  const type = file.contentType.split(';')[0]?.trim().toLowerCase()
  return type === 'application/pdf' && file.fileName.toLowerCase().endsWith('.pdf') ? undefined : 'writeup.format'
}
