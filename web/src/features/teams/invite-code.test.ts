import { describe, expect, it } from 'vitest'
import { createInvitationLink, findCodeInFragment, parseInvitationCode, splitInvitationCode } from './invite-code.ts'

const token = '0123456789abcdef0123456789abcdef'

describe('an invitation code', () => {
  it('an invitation code contains the team name', () => {
    expect(parseInvitationCode(` Night Watch:12:${token}\n`)).toEqual({
      code: `Night Watch:12:${token}`,
      teamName: 'Night Watch',
      teamId: 12,
    })
  })

  it('an invitation code is displayed in parts that together form the code', () => {
    expect(splitInvitationCode(`a:1:b:7:${token}`)).toEqual(['a:1:b', ':7', `:${token}`])
    expect(splitInvitationCode('something else')).toEqual(['something else'])
  })

  it('an invitation code may contain colons in the team name', () => {
    expect(parseInvitationCode(`a:1:b:7:${token}`)).toMatchObject({ teamName: 'a:1:b', teamId: 7 })
  })

  it.each([
    '',
    token,
    `:12:${token}`,
    `Crew:x:${token}`,
    `Crew:0:${token}`,
    `Crew:12:${token}0`,
    `Crew:12:${token.toUpperCase()}`,
  ])('recognizes no invitation code in "%s"', (text) => {
    expect(parseInvitationCode(text)).toBeUndefined()
  })

  it('the page reads an invitation code from a link that contains it', () => {
    const code = `Ärger & Söhne #1:12:${token}`
    expect(findCodeInFragment(new URL(createInvitationLink(code)).hash)).toBe(code)
  })

  it('the page reads no invitation code from an address that contains none', () => {
    expect(findCodeInFragment('')).toBe('')
    expect(findCodeInFragment('#members')).toBe('')
  })
})
