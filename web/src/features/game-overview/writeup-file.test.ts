import { describe, expect, it } from 'vitest'
import { isValidWriteup } from './writeup-file.ts'

const pdf = { name: 'writeup.pdf', type: 'application/pdf', size: 1000 }

describe('a writeup file', () => {
  it('a PDF of up to 20 MB is accepted', () => {
    expect(isValidWriteup(pdf)).toBe(true)
    expect(isValidWriteup({ ...pdf, name: 'WRITEUP.PDF', size: 20 * 1024 * 1024 })).toBe(true)
    expect(isValidWriteup({ ...pdf, size: 20 * 1024 * 1024 + 1 })).toBe(false)
  })

  it('an empty file and other types are refused', () => {
    expect(isValidWriteup({ ...pdf, size: 0 })).toBe(false)
    expect(isValidWriteup({ ...pdf, name: 'writeup.zip' })).toBe(false)
    expect(isValidWriteup({ ...pdf, type: 'text/html' })).toBe(false)
  })

  it('a PDF is accepted even if the operating system reports no file type', () => {
    expect(isValidWriteup({ ...pdf, type: '' })).toBe(true)
  })
})
