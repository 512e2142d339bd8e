import { languageCodes } from '@capstan/contract/languages'
import dayjs from 'dayjs'
import { afterEach, beforeAll, describe, expect, it } from 'vitest'
import { i18n, isolateDirection, loadTextsOfAreas, removeIsolationCharacters, startI18n, switchLanguage } from './i18n.ts'
import { findPreferredLanguage, languages, toSupportedLanguage } from './languages.ts'

beforeAll(() => startI18n('en-US'))
afterEach(() => switchLanguage('en-US'))

describe('a language code', () => {
  it('a supported language code is unchanged', () => {
    expect(toSupportedLanguage('ja-JP')).toBe('ja-JP')
    expect(toSupportedLanguage('zh-tw')).toBe('zh-TW')
  })

  it.each(['xx-XX', 'pt-BR', 'de', '', null, undefined])('an unsupported language code falls back to en-US: %s', (code) => {
    expect(toSupportedLanguage(code)).toBe('en-US')
  })
})

describe('the language of the first visit', () => {
  it.each([
    [['de-AT', 'en'], 'de-DE'],
    [['en-GB', 'de'], 'en-US'],
    [['pt-BR', 'es-MX', 'en'], 'es-ES'],
    [['zh-Hant-HK'], 'zh-TW'],
    [['zh-Hans-SG'], 'zh-CN'],
    [['ko'], 'ko-KR'],
    [['tlh'], 'en-US'],
    [[], 'en-US'],
  ])('the browser languages %j select the language %s for the first visit', (wishes, expected) => {
    expect(findPreferredLanguage(wishes)).toBe(expected)
  })
})

it('each of the ten languages has a label, and a mark if its translation is incomplete or made by a machine', () => {
  expect(languages.map(({ code, label, mark }) => [code, label, mark])).toEqual([
    ['en-US', 'English', undefined],
    ['zh-CN', '简体中文', undefined],
    ['zh-TW', '繁體中文', undefined],
    ['ja-JP', '日本語', undefined],
    ['id-ID', 'Bahasa Indonesia', undefined],
    ['ko-KR', '한국어', 'inProgress'],
    ['ru-RU', 'Русский', 'inProgress'],
    ['de-DE', 'Deutsch', 'machine'],
    ['fr-FR', 'Français', 'machine'],
    ['es-ES', 'Español', 'machine'],
  ])
})

describe('switching the language', () => {
  it.each([
    ['en-US', 'March'],
    ['zh-CN', '三月'],
    ['zh-TW', '三月'],
    ['ja-JP', '3月'],
    ['id-ID', 'Maret'],
    ['ko-KR', '3월'],
    ['ru-RU', 'март'],
    ['de-DE', 'März'],
    ['fr-FR', 'mars'],
    ['es-ES', 'marzo'],
  ] as const)('the switch changes the language of the page and of dates to %s', async (code, march) => {
    await switchLanguage(code)
    expect(document.documentElement.lang).toBe(code)
    expect(i18n.language).toBe(code)
    expect(dayjs('2026-03-05').format('MMMM')).toBe(march)
  })

  it('a language change loads all texts of the open page in the new language', async () => {
    await loadTextsOfAreas(['account', 'home'])
    await switchLanguage('fr-FR')
    for (const area of ['common', 'account', 'home']) expect(i18n.hasResourceBundle('fr-FR', area)).toBe(true)
  })

  it('the page uses the last language if the user chooses two languages in quick succession', async () => {
    await Promise.all([switchLanguage('ru-RU'), switchLanguage('es-ES')])
    expect(i18n.language).toBe('es-ES')
    expect(document.documentElement.lang).toBe('es-ES')
    expect(dayjs.locale()).toBe('es')
  })

  it('the page loads only the selected language', async () => {
    await switchLanguage('ja-JP')
    await loadTextsOfAreas(['posts'])
    const loaded = languageCodes.filter((code) => i18n.hasResourceBundle(code, 'posts'))
    expect(loaded.filter((code) => code !== 'en-US')).toEqual(['ja-JP'])
  })
})

describe('names in a text', () => {
  it.each([
    ['Salty Dogs', 'Salty Dogs'],
    ['Ünïcödé 船员 Моряки', 'Ünïcödé 船员 Моряки'],
    ['مرحبا x', '\u2068مرحبا x\u2069'],
    ['x שלום', '\u2068x שלום\u2069'],
    ['\u{1e900}\u{1e922}', '\u2068\u{1e900}\u{1e922}\u2069'],
  ])('a name is isolated only if a letter is written from right to left: %s', (name, expected) => {
    expect(isolateDirection(name)).toBe(expected)
    expect(removeIsolationCharacters(isolateDirection(name))).toBe(name)
  })

  it('texts put direction characters around right-to-left names, and do not escape HTML characters in names', () => {
    const textOf = (text: string) => i18n.t('common:dialog.typeToConfirm', { text })
    expect(textOf('ميناء 7')).toBe('Type “\u2068ميناء 7\u2069” to confirm')
    expect(textOf('<Rock & Roll>')).toBe('Type “<Rock & Roll>” to confirm')
  })
})

describe('texts whose words are prescribed', () => {
  it.each([
    ['common:notFound.title', 'The Nowhere'],
    ['common:notFound.text', 'Page does not exist'],
    ['common:language.machineTitle', 'Machine Translation'],
    ['common:language.machineText', 'This translation is done by machine and AIs, it may not be accurate.'],
    ['common:language.inProgressTitle', 'Incompleted Translation'],
    ['common:language.inProgressText', 'This language is still in progress, some parts may not be translated.'],
    ['common:language.switchToEnglish', 'Switch to English'],
    ['common:language.confirm', 'Confirm'],
    ['account:passwordMismatch', 'The repeated password is incorrect'],
    ['joining:join.codeMissing', 'Invitation code cannot be empty'],
    ['joining:join.divisionMissing', 'Please select the division'],
    ['joining:join.teamMissing', 'Please select the team to participate with'],
    ['common:banned.title', 'User has been banned'],
    ['account:captcha.wait', 'Please wait for captcha...'],
    ['account:confirm.failed', 'Failed to verify email'],
    ['account:verify.failed', 'Failed to verify the account'],
    [
      'account:profile.description',
      'Your username, bio, and avatar are visible to everyone; the rest only to admins and monitors.',
    ],
    ['account:link.badTitle', "Ouch! There's something wrong with your activation link"],
    ['account:link.badText', 'Please check your activation link and try again'],
    ['common:field.checkInput', 'Please check your input'],
    ['common:field.empty', "Content can't be empty"],
    ['common:error.screen.title', 'An error has occurred'],
    ['common:avatar.unfit', 'Please check file format and size'],
    ['common:avatar.failed', 'Failed to load file'],
    ['common:field.unchanged', 'There seems to be no change'],
    ['common:error.tryLater', 'Please try again later'],
    ['common:error.unknown', 'Unknown error'],
    ['challenges:flag.wrong', 'Incorrect flag'],
    ['challenges:flag.expired', 'Submission deadline has passed'],
    ['common:game.over', 'The game has ended, submissions will not be scored'],
    ['common:game.notStarted', 'Game not yet started'],
    ['games:step.suspended.title', 'You have been banned'],
    ['notices:failed', 'Failed to fetch notices'],
    ['monitor:event.failed', 'Failed to fetch events'],
    ['monitor:submission.failed', 'Failed to fetch submissions'],
    ['admin-logs:failed', 'Failed to fetch logs'],
    ['teams:joinForm.wrong', 'Incorrect team invitation code'],
    ['common:error.noAnswer.network', 'Network Error'],
    ['common:error.noAnswer.aborted', 'Request aborted'],
    ['common:error.noAnswer.timeout', 'timeout of {{ms}} ms exceeded'],
    ['common:error.noAnswer.protocol', 'Unsupported protocol'],
  ])('the text %s is "%s"', async (key, text) => {
    const [area = '', path = ''] = key.split(':')
    await loadTextsOfAreas([area as 'common'])
    expect(i18n.getResource('en-US', area, path)).toBe(text)
  })
})
