import { Limits } from '@capstan/contract/limits'

/**
 * True if the file is a valid writeup: a PDF of 1 byte to 20 MB. Also accepts a file without a type, because some operating
 * systems report none.
 */
export function isValidWriteup(file: Pick<File, 'name' | 'size' | 'type'>): boolean {
  return (
    file.size > 0 &&
    file.size <= Limits.maxWriteupBytes &&
    /\.pdf$/i.test(file.name) &&
    (file.type === 'application/pdf' || file.type === '')
  )
}
