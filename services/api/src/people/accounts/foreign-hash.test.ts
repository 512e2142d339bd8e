import { parseImportedHash } from '@capstan/contract/foreign-hash'
import { expect, test } from 'vitest'
import { platformCaller } from '../../server/fair-queue.ts'
import { passwords } from '../../testing/passwords.ts'
import { formatForeignHash, isForeignHash, noPassword } from './foreign-hash.ts'

const { check: checkPassword, checkAccount } = passwords

const salt = 'saltsalt'
const hmac = 'E196ZhRPzw+wA84EjzHwJO1cv/MFJdO6C/sxmUeTYqY='
const hex = '135f7a66144fcf0fb003ce048f31f024ed5cbff30525d3ba0bfb3199479362a6'
const scrypted =
  '00e2d710448270f99fd83c54dc3e3b649c69e594dc1c2d12d8c6f67855dce2d2b81e17252d2b79c46c7502725ef1d40bccc1debf67cd08ae214e841f45cd3553'

/** Hashes of `password`: the first two hashes are from passlib's documentation, and Python's hashlib computed all others. */
test.each([
  ['bcrypt-sha256', '$bcrypt-sha256$v=2,t=2b,r=12$n79VH.0Q2TMWmt3Oqt9uku$Kq4Noyk3094Y2QlB8NdRT8SvGiI4ft2'],
  ['bcrypt-sha256 without a key', '$bcrypt-sha256$2a,12$LrmaIX5x4TRtAwEfwJZa1.$2ehnw6LvuIUTM0iz4iz9hTxv21B6KFO'],
  ['bcrypt', '$2b$04$nke3JYaIENEMk1YVZDzABe4cIn9qxvHDoUUjBtohss8ykjqfFK.uy'],
  ['bcrypt in the format of PHP', '$2y$04$nke3JYaIENEMk1YVZDzABe4cIn9qxvHDoUUjBtohss8ykjqfFK.uy'],
  ['PBKDF2 of passlib', `$pbkdf2-sha256$1000$c2FsdHNhbHQ$${hmac.replaceAll('+', '.').replace('=', '')}`],
  ['PBKDF2 of Django', `pbkdf2_sha256$1000$${salt}$${hmac}`],
  ['PBKDF2 of Werkzeug', `pbkdf2:sha256:1000$${salt}$${hex}`],
  ['scrypt of Werkzeug', `scrypt:1024:8:1$${salt}$${scrypted}`],
])('accepts only the right password for %s, and returns a renewed hash', async (_, hash) => {
  expect(parseImportedHash(hash)).toBeDefined()
  const passwordHash = formatForeignHash(hash)
  const find = async () => ({ passwordHash })
  expect(await checkAccount(find, 'Password', platformCaller)).toEqual({ account: { passwordHash }, matches: false })
  const { matches, renewed } = await checkAccount(find, 'password', platformCaller)
  expect([matches, renewed]).toEqual([true, expect.stringMatching(/^\$argon2id\$/)])
  expect(await checkPassword(renewed, 'password')).toBe(true)
  // An imported hash must not pass as a native hash, even if its prefix is removed.
  expect(await checkPassword(hash, 'password')).toBe(false)
})

test('accepts no password if the account has none', async () => {
  expect(isForeignHash(noPassword)).toBe(true)
  expect(await checkPassword(noPassword, 'none')).toBe(false)
  expect(await checkPassword(noPassword, '')).toBe(false)
})

test.each([
  ['nothing', ''],
  ['MD5', '5f4dcc3b5aa765d61d8327deb882cf99'],
  ['a password', 'password'],
  ['bcrypt that takes seconds', `$2b$14$${'a'.repeat(53)}`],
  ['bcrypt with half a digest', `$2b$10$${'a'.repeat(40)}`],
  ['PBKDF2 that takes seconds', `pbkdf2:sha256:9000000$salt$${'a'.repeat(64)}`],
  ['scrypt that takes gigabytes', `scrypt:1048576:8:1$salt$${'a'.repeat(128)}`],
  ['scrypt with a cost that is not a power of two', `scrypt:32767:8:1$salt$${'a'.repeat(128)}`],
  ['a text that is far too long', `$2b$10$${'a'.repeat(100_000)}`],
])('refuses to import %s', (_, text) => {
  expect(parseImportedHash(text)).toBeUndefined()
})
