import { describe, expect, test } from 'vitest'
import { languageCodes } from './languages.ts'
import type { ServerTexts } from './server-texts/en-US.ts'
import { formatProblemText, problemTitle, serverTexts } from './server-texts.ts'

const english = serverTexts['en-US']
const groups = ['problems', 'texts', 'messages'] as const
function placeholders(text: string) {
  return text.match(/\{\w+\}/g) ?? []
}
function sentencesOf({ mails: { activation, reset, test: trial, ignore, 'address-change': change } }: ServerTexts) {
  return [activation, reset, change, trial].flatMap((mail) => Object.values<string>(mail)).concat(ignore)
}

describe.each(languageCodes.filter((code) => code !== 'en-US'))('%s', (code) => {
  test.each(groups)('translates all %s, with the same placeholders', (group) => {
    const own: Record<string, string> = serverTexts[code][group]
    for (const [key, text] of Object.entries<string>(english[group])) {
      expect(own[key], key).not.toBe(text)
      expect(placeholders(own[key] ?? ''), key).toEqual(placeholders(text))
    }
  })

  test('translates emails, with the same placeholders', () => {
    const own = sentencesOf(serverTexts[code])
    for (const [index, sentence] of sentencesOf(english).entries()) {
      expect(own[index]).not.toBe(sentence)
      expect(placeholders(own[index] ?? ''), sentence).toEqual(placeholders(sentence))
    }
  })
})

test.each(languageCodes)('in %s all sheets and columns have different names', (code) => {
  const names = Object.values(serverTexts[code].sheets)
  expect(names.every((name) => name !== '')).toBe(true)
  expect(new Set(names).size).toBe(names.length)
})

test('sheets have names and columns in the requested language', () => {
  expect(serverTexts['de-DE'].sheets.email).toBe('E-Mail')
  expect(serverTexts['fr-FR'].sheets.submissions).toBe('Soumissions')
})

test('the title of a refusal names the faulty field, or else the whole request', () => {
  expect(formatProblemText({ code: 'input.long', values: { field: 'name', limit: 20 } }, 'en-US')).toBe(
    'Name: at most 20 characters',
  )
  expect(formatProblemText({ code: 'input.small', values: { field: 'teamMemberCountLimit' } }, 'en-US')).toBe(
    'Team member count limit is too small',
  )
  expect(formatProblemText({ code: 'input.required', values: { field: 'users.3.userName' } }, 'en-US')).toBe(
    'Users 3 user name is missing',
  )
  expect(formatProblemText({ code: 'input.type', values: { field: '' } }, 'de-DE')).toBe('Die Anfrage hat den falschen Typ')
})

test('the English titles that clients depend on are unchanged', () => {
  expect(problemTitle('login.failed', 'en-US')).toBe('Wrong username or password')
  expect(problemTitle('login.banned', 'en-US')).toBe('User has been banned')
  expect(problemTitle('request.rate-limited', 'en-US')).toBe('Too many requests')
  expect(problemTitle('request.parameter', 'en-US')).toBe('Incorrect parameter, please check')
  expect(problemTitle('writeup.deadline', 'en-US')).toBe('Submission deadline has passed')
  expect(problemTitle('account.token', 'en-US')).toBe("Ouch! There's something wrong with your activation link")
})
