import { languageCodes } from '@capstan/contract/languages'
import { expect, test } from 'vitest'
import { type LinkMail, renderLinkMail, renderMailWithoutPlaceholders } from './templates.ts'

function aLinkMail(values: Partial<LinkMail> = {}): LinkMail {
  return {
    purpose: 'activation',
    language: 'en-US',
    platformName: 'Summer CTF',
    userName: 'ada',
    email: 'ada@example.org',
    link: 'https://ctf.example.org/account/verify?token=dA%3D%3D&email=ZQ%3D%3D',
    now: new Date('2026-05-04T03:02:01.999Z'),
    ...values,
  }
}

test('both bodies of a mail contain title, link, name, address, time and platform name', () => {
  const { recipient, subject, html, text } = renderLinkMail(aLinkMail())
  expect([recipient, subject]).toEqual(['ada@example.org', 'Summer CTF - Activate your account'])
  for (const part of ['Activate your account', 'ada', 'ada@example.org', '2026-05-04 03:02:01Z', 'Summer CTF', '3 hours']) {
    expect(html).toContain(part)
    expect(text).toContain(part)
  }
  expect(text).toContain('https://ctf.example.org/account/verify?token=dA%3D%3D&email=ZQ%3D%3D')
  expect(html).toContain('href="https://ctf.example.org/account/verify?token=dA%3D%3D&amp;email=ZQ%3D%3D"')
})

test('escapes HTML and line breaks in names', () => {
  const { html, text, subject } = renderLinkMail(
    aLinkMail({ userName: '<b>"x"</b>\nBcc: all', platformName: 'A&B\r\nBcc: eve@example.org' }),
  )
  expect(html).toContain('&lt;b&gt;&quot;x&quot;&lt;/b&gt;')
  expect(html).not.toContain('<b>')
  expect(text).toContain('Name: <b>"x"</b> Bcc: all\n')
  expect(subject).toBe('A&B Bcc: eve@example.org - Activate your account')
})

test.each(languageCodes)('the language %s has a different text for each purpose', (language) => {
  const subjects = (['activation', 'reset', 'address-change'] as const).map(
    (purpose) => renderLinkMail(aLinkMail({ purpose, language })).subject,
  )
  expect(new Set(subjects).size).toBe(3)
  const english = renderLinkMail(aLinkMail()).text
  expect(renderLinkMail(aLinkMail({ language })).text === english).toBe(language === 'en-US')
  expect(renderLinkMail(aLinkMail({ language })).html).toContain(`<html lang="${language}">`)
})

test.each(languageCodes)('a test mail in %s names its purpose and the platform', (language) => {
  const { recipient, subject, html, text } = renderMailWithoutPlaceholders('test', {
    recipient: 'a@example.org',
    language,
    platformName: 'A<b>',
  })
  expect([recipient, subject.startsWith('A<b> - ')]).toEqual(['a@example.org', true])
  expect(html).toContain('A&lt;b&gt;')
  expect(text.split('\n').filter(Boolean)).toHaveLength(3)
})
