import type { ProblemCode } from '@capstan/contract/problems'

/** @returns `writeup.format` if the type of the file is not PDF, or its name does not end with `.pdf` */
export function refuseInvalidWriteupFile(
  file: Readonly<{
    fileName: string
    contentType: string
  }>,
): Extract<ProblemCode, 'writeup.format'> | undefined {
  const type = file.contentType.split(';')[0]?.trim().toLowerCase()
  return type === 'application/pdf' && file.fileName.toLowerCase().endsWith('.pdf') ? undefined : 'writeup.format'
}
