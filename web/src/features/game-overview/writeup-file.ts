import { Limits } from '@capstan/contract/limits'

/** True for a possible writeup: one PDF of 1 byte to 20 MB. Some systems report no type for it. */
export function isValidWriteup(file: Pick<File, 'name' | 'size' | 'type'>): boolean {
  return (
    file.size > 0 &&
    file.size <= Limits.maxWriteupBytes &&
    /\.pdf$/i.test(file.name) &&
    (file.type === 'application/pdf' || file.type === '')
  )
}
