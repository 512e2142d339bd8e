import { describe, expect, it } from 'vitest'
import { badDomains, faultsOf, registrationOutcome, shapeOf, toSettings } from './settings-draft.ts'

const stored = {
  globalConfig: { title: 'Harbour', slogan: 'Haul', description: null, footerInfo: null, customTheme: null },
  accountPolicy: { allowRegister: true, activeOnRegister: true, useCaptcha: false, emailConfirmationRequired: false },
  containerPolicy: { maxExerciseContainerCountPerUser: 1, defaultLifetime: 60, extensionDuration: 30, renewalWindow: 5 },
}
const shape = shapeOf(stored)

describe('sending settings', () => {
  it('sends only the section that was changed, and that one whole', () => {
    expect(toSettings({ ...shape, useCaptcha: true }, ['useCaptcha'], stored)).toEqual({
      accountPolicy: {
        allowRegister: true,
        activeOnRegister: true,
        useCaptcha: true,
        emailConfirmationRequired: false,
        emailDomainList: '',
      },
    })
  })

  it('sends minutes as numbers and keeps what no form edits', () => {
    expect(toSettings({ ...shape, defaultLifetime: ' 90' }, ['defaultLifetime'], stored)).toEqual({
      containerPolicy: {
        maxExerciseContainerCountPerUser: 1,
        autoDestroyOnLimitReached: false,
        defaultLifetime: 90,
        extensionDuration: 30,
        renewalWindow: 5,
      },
    })
  })

  it('clears a text with an empty one, because null would keep it', () => {
    expect(toSettings({ ...shape, slogan: ' ' }, ['slogan'], stored).globalConfig?.slogan).toBe('')
  })

  it('tidies the list of domains', () => {
    const sent = toSettings({ ...shape, emailDomainList: ' a.org ,, b.example ' }, ['emailDomainList'], stored)
    expect(sent.accountPolicy?.emailDomainList).toBe('a.org,b.example')
  })
})

describe('checking settings', () => {
  it.each([
    ['1', '7200', '360', []],
    ['0', '7201', '361', ['defaultLifetime', 'extensionDuration', 'renewalWindow']],
    ['1.5', '', 'ten', ['defaultLifetime', 'extensionDuration', 'renewalWindow']],
  ])('takes %s, %s and %s minutes as the contract does', (defaultLifetime, extensionDuration, renewalWindow, faults) => {
    expect([...faultsOf({ ...shape, defaultLifetime, extensionDuration, renewalWindow })]).toEqual(faults)
  })

  it.each([
    ['', false],
    ['#5cb8d6', false],
    ['#5CB8D6', false],
    ['5cb8d6', true],
    ['#5cb8d', true],
    ['teal', true],
  ])('decides whether %j is a color', (customTheme, isFault) => {
    expect(faultsOf({ ...shape, customTheme }).has('customTheme')).toBe(isFault)
  })

  it('names what is no domain', () => {
    expect(badDomains('example.org, @students, a b.c, münchen.example')).toEqual(['@students', 'a b.c'])
  })
})

describe('the effect of the account switches', () => {
  const outcome = (allowRegister: boolean, activeOnRegister: boolean, emailConfirmationRequired: boolean) =>
    registrationOutcome({ ...shape, allowRegister, activeOnRegister, emailConfirmationRequired })
  it('follows the order in which the server checks them', () => {
    expect(outcome(false, true, true)).toBe('closed')
    expect(outcome(true, true, true)).toBe('active')
    expect(outcome(true, false, true)).toBe('mail')
    expect(outcome(true, false, false)).toBe('admin')
  })
})
