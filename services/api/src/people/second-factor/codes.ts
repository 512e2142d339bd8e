import { createHash } from 'node:crypto'
import { Limits } from '@capstan/contract/limits'
import { Secret, TOTP } from 'otpauth'
import type { Random } from '../../rules/signing/random.ts'

const periodMs = 30_000
/** Maximum difference between clocks, in time steps. A code of an earlier or later time step within this difference is accepted. */
const toleratedSteps = 1
const secretBytes = 20
/** 80 random bits cannot be guessed, so a fast hash without salt protects a recovery code well enough. */
const recoveryCodeBytes = 10

export function createTotpSecret(random: Random): string {
  return Secret.fromHex(random.hex(secretBytes)).base32
}

function totpOf(secret: string, label?: { issuer: string; account: string }): TOTP {
  return new TOTP({
    secret: Secret.fromBase32(secret),
    algorithm: 'SHA1',
    digits: 6,
    period: periodMs / 1_000,
    ...(label && { issuer: label.issuer, label: label.account }),
  })
}

/** Returns the address that authenticator apps read from a QR code. */
export function formatTotpUri(secret: string, label: { issuer: string; account: string }): string {
  return totpOf(secret, label).toString()
}

/** Returns the time step to which a code belongs. @returns undefined if the code is wrong at this time */
export function findTotpTimeStep(secret: string, code: string, now: Date): number | undefined {
  const timestamp = now.getTime()
  const delta = totpOf(secret).validate({ token: code, timestamp, window: toleratedSteps })
  return delta === null ? undefined : Math.floor(timestamp / periodMs) + delta
}

/** Removes blanks and hyphens that people type in a code, and converts the code to lower case. */
export function removeCodeSeparators(code: string): string {
  return code.replaceAll(/[\s-]/g, '').toLowerCase()
}

export function isTotpCode(normalized: string): boolean {
  return /^\d{6}$/.test(normalized)
}

export function hashRecoveryCode(normalized: string): string {
  return createHash('sha256').update(normalized).digest('hex')
}

/** Returns new recovery codes, in groups of four characters. */
export function createRecoveryCodes(random: Random): string[] {
  return Array.from({ length: Limits.recoveryCodes }, () => {
    const base32 = Secret.fromHex(random.hex(recoveryCodeBytes)).base32.toLowerCase()
    return base32.match(/.{4}/g)?.join('-') ?? base32
  })
}
