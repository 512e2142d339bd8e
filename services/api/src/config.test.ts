import { expect, test } from 'vitest'
import { readConfig } from './config.ts'

const development = { DATABASE_URL: 'postgres://localhost/capstan' }
const production = { ...development, NODE_ENV: 'production', CAPSTAN_SECRET_KEY: 'k' }
const mail = { CAPSTAN_SMTP_URL: 'smtp://mail.example.org', CAPSTAN_SMTP_FROM: 'ctf@example.org' }

const missing =
  'The configuration is wrong:\n  - CAPSTAN_PUBLIC_ORIGIN is missing: links in mails lead there, for example https://ctf.example.org'

test('in production mail needs a public origin, so that no link is made from what a request says', () => {
  expect(() => readConfig({ ...production, ...mail })).toThrow(missing)
  expect(() => readConfig({ ...production, ...mail, CAPSTAN_PUBLIC_ORIGIN: '' })).toThrow(missing)
  const origin = 'https://ctf.example.org'
  expect(readConfig({ ...production, ...mail, CAPSTAN_PUBLIC_ORIGIN: origin }).publicOrigin).toBe(origin)
})

test('without mail, and on a machine of one’s own, the origin may come from the request', () => {
  expect(readConfig(production).publicOrigin).toBeUndefined()
  expect(readConfig({ ...development, ...mail }).publicOrigin).toBeUndefined()
})

test.each(['ctf.example.org', 'ftp://ctf.example.org', 'https://', 'javascript:alert(1)'])(
  'the public origin %s is refused, and a fault is named once',
  (value) => {
    expect(() => readConfig({ ...production, ...mail, CAPSTAN_PUBLIC_ORIGIN: value })).toThrow(
      /^The configuration is wrong:\n {2}- CAPSTAN_PUBLIC_ORIGIN must be an origin such as https:\/\/ctf\.example\.org$/,
    )
  },
)
