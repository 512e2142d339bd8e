import { describe, expect, it } from 'vitest'
import { ApiError, TransportError } from './http.ts'
import { findRefusedField } from './problem-fields.ts'

function refusal(code: ApiError['code'], detail?: string) {
  return new ApiError({ title: 'No', status: 400, httpStatus: 400, code, ...(detail !== undefined && { detail }) })
}

describe('the form field that the server refused', () => {
  const fields = ['userName', 'email', 'password'] as const

  it.each([
    ['email.taken', 'email'],
    ['username.taken', 'userName'],
    ['name.unreadable', 'userName'],
    ['password.weak', 'password'],
    ['register.closed', undefined],
    // This code concerns a field that the form does not contain.
    ['join.code', undefined],
  ] as const)('the error code determines which form field was refused: %s concerns %s', (code, field) => {
    expect(findRefusedField(refusal(code), fields)).toBe(field)
  })

  it('the refused form field is the field whose value violates a rule', () => {
    expect(findRefusedField(refusal('request.invalid', '/email'), fields)).toBe('email')
    expect(findRefusedField(refusal('request.invalid', '/challenge'), fields)).toBeUndefined()
    expect(findRefusedField(refusal('request.invalid', '/'), fields)).toBeUndefined()
  })

  it('the refused form field can be inside a section, and can have another name in the form', () => {
    expect(findRefusedField(refusal('request.invalid', '/globalConfig/email'), fields)).toBe('email')
    expect(findRefusedField(refusal('request.invalid', '/mails/0'), fields, { mails: 'email' })).toBe('email')
    expect(findRefusedField(refusal('request.invalid', '/mails/password'), fields, { mails: 'email' })).toBe('email')
    expect(findRefusedField(refusal('request.invalid', '/toString'), fields, {})).toBeUndefined()
  })

  it('the refused form field is undefined if there is no response', () => {
    expect(findRefusedField(new TransportError('network', 'Network Error'), fields)).toBeUndefined()
    expect(findRefusedField(undefined, fields)).toBeUndefined()
  })
})
