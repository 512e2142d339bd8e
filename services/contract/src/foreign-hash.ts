import { InputLimits } from './limits.ts'

/**
 * Password hashes that were imported from other platforms. At the first log-in, the platform replaces an imported hash by a hash
 * in the platform's format. The imported hash determines how long a check takes, so hashes whose check would take too long are
 * refused. ADR 35.
 */

/** Bytes that are encoded as text. `encoding` is the name of the encoding for Node's `Buffer`. */
type Encoded = Readonly<{ encoding: 'utf8' | 'base64' | 'hex'; text: string }>

/** Parameters of a password check against an imported hash, as `hash-thread.mjs` receives them. */
export type ForeignHash =
  | Readonly<{
      scheme: 'bcrypt'
      hash: string
      /**
       * Input of bcrypt. `plain` is the password. `sha256` is the SHA-256 digest of the password, in Base64. `hmac-sha256` is the
       * HMAC of the password with the salt as key, in Base64.
       */
      input: 'plain' | 'sha256' | 'hmac-sha256'
    }>
  | Readonly<{
      scheme: 'pbkdf2'
      digest: string
      iterations: number
      salt: Encoded
      key: Encoded
    }>
  | Readonly<{
      scheme: 'scrypt'
      cost: number
      blockSize: number
      parallelization: number
      salt: Encoded
      key: Encoded
    }>

/** Maximum cost parameters of accepted hashes. A check with one of these values takes about half a second of CPU time. */
const maxBcryptCost = 13
const maxPbkdf2Iterations = 1_200_000
const maxScryptBytes = 64 * 1024 * 1024
const maxScryptParallelization = 4

const bcrypt = /^\$2[aby]\$(\d\d)\$[./A-Za-z0-9]{53}$/
/** Format that passlib uses for bcrypt with SHA-256. In version 2 of this format, the digest is an HMAC whose key is the salt. */
const bcryptSha256 =
  /^\$bcrypt-sha256\$(?:v=2,t=(2[ab]),r=(\d{1,2})|(2[ab]),(\d{1,2}))\$([./A-Za-z0-9]{22})\$([./A-Za-z0-9]{31})$/
/** Format that passlib uses for PBKDF2, with a variant of Base64. */
const passlibPbkdf2 = /^\$pbkdf2(-sha256|-sha512)?\$(\d{1,7})\$([./A-Za-z0-9]{1,128})\$([./A-Za-z0-9]{20,128})$/
/** Format that Django uses for PBKDF2. The salt is plain text. */
const djangoPbkdf2 = /^pbkdf2_sha(1|256)\$(\d{1,7})\$([^$]{1,128})\$([+/=A-Za-z0-9]{20,128})$/
/** Format that Werkzeug uses for PBKDF2. The salt is plain text, and the key is hexadecimal. */
const werkzeugPbkdf2 = /^pbkdf2:sha(1|256|512):(\d{1,7})\$([^$]{1,128})\$([0-9a-f]{40,128})$/
const werkzeugScrypt = /^scrypt:(\d{1,7}):(\d{1,2}):(\d)\$([^$]{1,128})\$([0-9a-f]{64,128})$/

/** Converts Base64 text of passlib to standard Base64. Passlib writes `.` for the character `+`. */
function ofPasslib(text: string): Encoded {
  return { encoding: 'base64', text: text.replaceAll('.', '+') }
}
function ofText(text = ''): Encoded {
  return { encoding: 'utf8', text }
}
function ofBase64(text = ''): Encoded {
  return { encoding: 'base64', text }
}
function ofHex(text = ''): Encoded {
  return { encoding: 'hex', text }
}

function pbkdf2(digest: string, iterations: number, salt: Encoded, key: Encoded): ForeignHash | undefined {
  return iterations >= 1 && iterations <= maxPbkdf2Iterations ? { scheme: 'pbkdf2', digest, iterations, salt, key } : undefined
}

function ofBcrypt(hash: string, cost: number, input: 'plain' | 'sha256' | 'hmac-sha256'): ForeignHash | undefined {
  return cost >= 4 && cost <= maxBcryptCost ? { scheme: 'bcrypt', hash, input } : undefined
}

/** Parses an imported hash. @returns undefined if the format is unknown or a check would take too long */
export function parseImportedHash(text: string): ForeignHash | undefined {
  if (text.length > InputLimits.maxForeignHashLength) return undefined
  const plain = bcrypt.exec(text)
  if (plain) return ofBcrypt(text, Number(plain[1]), 'plain')
  const digested = bcryptSha256.exec(text)
  if (digested) {
    const [, keyedType, keyedCost, type = keyedType, cost = keyedCost, salt, digest] = digested
    const hash = `$${type}$${String(cost).padStart(2, '0')}$${salt}${digest}`
    return ofBcrypt(hash, Number(cost), keyedType === undefined ? 'sha256' : 'hmac-sha256')
  }
  const passlib = passlibPbkdf2.exec(text)
  if (passlib) {
    const [, digest = '-sha1', iterations, salt = '', key = ''] = passlib
    return pbkdf2(digest.slice(1), Number(iterations), ofPasslib(salt), ofPasslib(key))
  }
  const django = djangoPbkdf2.exec(text)
  if (django) return pbkdf2(`sha${django[1]}`, Number(django[2]), ofText(django[3]), ofBase64(django[4]))
  const werkzeug = werkzeugPbkdf2.exec(text)
  if (werkzeug) return pbkdf2(`sha${werkzeug[1]}`, Number(werkzeug[2]), ofText(werkzeug[3]), ofHex(werkzeug[4]))
  const scrypt = werkzeugScrypt.exec(text)
  if (!scrypt) return undefined
  const [cost = 0, blockSize = 0, parallelization = 0] = scrypt.slice(1, 4).map(Number)
  const isPower = cost > 1 && (cost & (cost - 1)) === 0
  const isBounded =
    128 * cost * blockSize <= maxScryptBytes && parallelization >= 1 && parallelization <= maxScryptParallelization
  return isPower && blockSize >= 1 && isBounded
    ? { scheme: 'scrypt', cost, blockSize, parallelization, salt: ofText(scrypt[4]), key: ofHex(scrypt[5]) }
    : undefined
}
