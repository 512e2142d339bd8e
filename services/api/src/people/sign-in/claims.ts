import { hasUserNameLength, isEmail } from '@capstan/contract/account-rules'
import { Limits } from '@capstan/contract/limits'
import type { SignInClaims, SignInProfile } from '@capstan/contract/sign-in'
import { refuseUserName } from '../names/policy.ts'

export type Claims = Readonly<Record<string, unknown>>

function textOf(claims: Claims, name: string): string {
  const value = name === '' ? undefined : claims[name]
  return typeof value === 'string' ? value.trim() : typeof value === 'number' ? String(value) : ''
}

function cut(text: string, maxLength: number): string {
  return [...text].slice(0, maxLength).join('')
}

/** True if the claim is the value, or a list that contains it. */
function includesValue(claim: unknown, value: string): boolean {
  return (Array.isArray(claim) ? claim : [claim]).some((item) => String(item) === value)
}

/** Returns the first acceptable user name: the claim, the local part of the address, or a fixed word. */
function userNameOf(claim: string, email: string | null): string {
  const local = email?.slice(0, email.lastIndexOf('@')) ?? ''
  const candidates = [claim, claim.split('@', 1)[0] ?? '', local].map((name) => cut(name.trim(), Limits.maxUserNameLength).trim())
  return candidates.find((name) => hasUserNameLength(name) && !refuseUserName(name)) ?? 'player'
}

/**
 * Maps the claims of an OpenID Connect provider to the values of an account (OpenID Connect Core 1.0, section 5.1). Only a boolean
 * `email_verified` counts.
 */
export function mapClaims(claims: Claims, names: SignInClaims): SignInProfile {
  const email = textOf(claims, 'email')
  const address = isEmail(email) ? email : null
  return {
    subject: textOf(claims, 'sub'),
    userName: userNameOf(textOf(claims, names.userName), address),
    email: address,
    isEmailVerified: address !== null && claims.email_verified === true,
    realName: cut(textOf(claims, names.realName), Limits.maxRealNameLength),
    stdNumber: cut(textOf(claims, names.stdNumber), Limits.maxStudentNumberLength),
    isAdmin: names.adminClaim !== '' && names.adminValue !== '' && includesValue(claims[names.adminClaim], names.adminValue),
  }
}
