import { describe, expect, it } from 'vitest'
import {
  findSettingsFaults,
  listInvalidDomains,
  predictRegistrationOutcome,
  toSettingsForm,
  toSettingsRequest,
} from './settings-draft.ts'

const stored = {
  globalConfig: { title: 'Harbour', slogan: 'Haul', description: null, footerInfo: null, customTheme: null },
  accountPolicy: { allowRegister: true, activeOnRegister: true, useCaptcha: false, emailConfirmationRequired: false },
  containerPolicy: { maxExerciseContainerCountPerUser: 1, defaultLifetime: 60, extensionDuration: 30, renewalWindow: 5 },
}
const shape = toSettingsForm(stored)

describe('saving settings', () => {
  it('a save sends only the changed sections, but all fields of each changed section', () => {
    expect(toSettingsRequest({ ...shape, useCaptcha: true }, ['useCaptcha'], stored)).toEqual({
      accountPolicy: {
        allowRegister: true,
        activeOnRegister: true,
        useCaptcha: true,
        emailConfirmationRequired: false,
        emailDomainList: '',
      },
    })
  })

  it('a save request also contains stored settings that have no form field', () => {
    expect(toSettingsRequest({ ...shape, defaultLifetime: ' 90' }, ['defaultLifetime'], stored)).toEqual({
      containerPolicy: {
        maxExerciseContainerCountPerUser: 1,
        autoDestroyOnLimitReached: false,
        defaultLifetime: 90,
        extensionDuration: 30,
        renewalWindow: 5,
      },
    })
  })

  it('a save sends an empty text to clear a field, because null would retain the value', () => {
    expect(toSettingsRequest({ ...shape, slogan: ' ' }, ['slogan'], stored).globalConfig?.slogan).toBe('')
  })

  it('a save normalizes the list of mail domains', () => {
    const sent = toSettingsRequest({ ...shape, emailDomainList: ' a.org ,, b.example ' }, ['emailDomainList'], stored)
    expect(sent.accountPolicy?.emailDomainList).toBe('a.org,b.example')
  })
})

describe('checking settings', () => {
  it.each([
    ['1', '7200', '360', []],
    ['0', '7201', '361', ['defaultLifetime', 'extensionDuration', 'renewalWindow']],
    ['1.5', '', 'ten', ['defaultLifetime', 'extensionDuration', 'renewalWindow']],
  ])(
    'the check compares a lifetime of %s, an extension of %s and a window of %s minutes with the limits of the contract',
    (defaultLifetime, extensionDuration, renewalWindow, faults) => {
      expect([...findSettingsFaults({ ...shape, defaultLifetime, extensionDuration, renewalWindow })]).toEqual(faults)
    },
  )

  it.each([
    ['', false],
    ['#5cb8d6', false],
    ['#5CB8D6', false],
    ['5cb8d6', true],
    ['#5cb8d', true],
    ['teal', true],
  ])('the check decides whether %j is a valid color', (customTheme, isFault) => {
    expect(findSettingsFaults({ ...shape, customTheme }).has('customTheme')).toBe(isFault)
  })

  it('the check reports invalid mail domains', () => {
    expect(listInvalidDomains('example.org, @students, a b.c, münchen.example')).toEqual(['@students', 'a b.c'])
  })
})

describe('the outcome of a registration', () => {
  const outcome = (allowRegister: boolean, activeOnRegister: boolean, emailConfirmationRequired: boolean) =>
    predictRegistrationOutcome({ ...shape, allowRegister, activeOnRegister, emailConfirmationRequired })
  it('if several settings affect a registration, the setting that the server checks first determines the outcome', () => {
    expect(outcome(false, true, true)).toBe('closed')
    expect(outcome(true, true, true)).toBe('active')
    expect(outcome(true, false, true)).toBe('mail')
    expect(outcome(true, false, false)).toBe('admin')
  })
})
