import { Limits } from '@capstan/contract/limits'

/** True if a file may be a writeup: a PDF of 1 byte to 20 MB. Some operating systems report no file type. */
export function isValidWriteup(file: Pick<File, 'name' | 'size' | 'type'>): boolean {
  return (
    file.size > 0 &&
    file.size <= Limits.maxWriteupBytes &&
    /\.pdf$/i.test(file.name) &&
    (file.type === 'application/pdf' || file.type === '')
  )
}
