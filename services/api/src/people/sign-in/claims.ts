import { hasUserNameLength, isEmail, isStorableText } from '@capstan/contract/account-rules'
import { InputLimits, Limits } from '@capstan/contract/limits'
import type { SignInClaims, SignInProfile } from '@capstan/contract/sign-in'
import { refuseInvalidName, refuseInvalidUserName } from '../names/policy.ts'

export type Claims = Readonly<Record<string, unknown>>

/**
 * Names of the claims, as stored in a provider's row. Rows of earlier versions have no names for the claims of team and division.
 */
type ClaimNames = Omit<SignInClaims, 'team' | 'division'> & Partial<Pick<SignInClaims, 'team' | 'division'>>

/** Characters that PostgreSQL cannot store in a text: NUL, and halves of surrogate pairs. */
const unstorable = /[\0\p{Surrogate}]/gu

function exactTextOf(claims: Claims, name: string): string {
  const value = name === '' ? undefined : claims[name]
  return typeof value === 'string' ? value : typeof value === 'number' ? String(value) : ''
}

function textOf(claims: Claims, name: string): string {
  return exactTextOf(claims, name).trim()
}

/** Returns the text of a claim, and removes characters that the database cannot store. Do not use the result as an identifier. */
function storableTextOf(claims: Claims, name: string): string {
  return exactTextOf(claims, name).replaceAll(unstorable, '').trim()
}

/** True if the subject is not empty, and the database can store the subject unchanged. */
export function isValidSubject(subject: string): boolean {
  return subject !== '' && subject.length <= InputLimits.maxSubjectLength && isStorableText(subject)
}

/**
 * Merges the claims of an ID token and of the user info. The user info replaces claims of the token. The address and its
 * verification come from the same source, because a verification of one address says nothing about another. If the user info
 * repeats the address without its verification, the token is the source.
 */
export function mergeTokenAndUserInfoClaims(token: Claims, info: Claims): Claims {
  const isRepeated = info.email === token.email && info.email_verified === undefined
  const { email, email_verified } = info.email === undefined || isRepeated ? token : info
  return { ...token, ...info, email, email_verified }
}

function cut(text: string, maxLength: number): string {
  return [...text].slice(0, maxLength).join('')
}

/** True if the claim equals the value or is a list that contains the value. */
function includesValue(claim: unknown, value: string): boolean {
  return (Array.isArray(claim) ? claim : [claim]).some((item) => String(item) === value)
}

/** Derives a valid user name from the claim or the email address. The default is `player`. */
function userNameOf(claim: string, email: string | null): string {
  const local = email?.slice(0, email.lastIndexOf('@')) ?? ''
  const candidates = [claim, claim.split('@', 1)[0] ?? '', local].map((name) => cut(name.trim(), Limits.maxUserNameLength).trim())
  return candidates.find((name) => hasUserNameLength(name) && !refuseInvalidUserName(name)) ?? 'player'
}

/**
 * Returns the team in a claim. The claim is a name, a list with one name, or an object with `id` and `name` as CTFtime sends it. A
 * long id is not shortened, because two teams could then get the same id.
 * @returns null if the claim has no team, several teams, a long id, or an unreadable name
 */
function teamOf(claim: unknown): SignInProfile['team'] {
  if (Array.isArray(claim)) return claim.length === 1 && !Array.isArray(claim[0]) ? teamOf(claim[0]) : null
  const parts = typeof claim === 'object' && claim !== null ? (claim as Claims) : { id: claim, name: claim }
  const key = textOf(parts, 'id')
  const name = cut(textOf(parts, 'name'), Limits.maxTeamNameLength).trim()
  return key.length > InputLimits.maxTeamKeyLength || refuseInvalidName(key) || refuseInvalidName(name) ? null : { key, name }
}

function divisionOf(text: string): string {
  return text.length > InputLimits.maxDivisionNameLength || refuseInvalidName(text) ? '' : text
}

/**
 * Maps the claims of an OpenID Connect provider to the values of an account (OpenID Connect Core 1.0, section 5.1). An address is
 * verified only if `email_verified` is the boolean `true`.
 */
export function toSignInProfile(claims: Claims, names: ClaimNames): SignInProfile {
  const email = textOf(claims, 'email')
  const address = isStorableText(email) && isEmail(email) ? email : null
  return {
    subject: exactTextOf(claims, 'sub'),
    userName: userNameOf(storableTextOf(claims, names.userName), address),
    email: address,
    isEmailVerified: address !== null && claims.email_verified === true,
    realName: cut(storableTextOf(claims, names.realName), Limits.maxRealNameLength),
    stdNumber: cut(storableTextOf(claims, names.stdNumber), Limits.maxStudentNumberLength),
    team: names.team ? teamOf(claims[names.team]) : null,
    division: divisionOf(textOf(claims, names.division ?? '')),
    isAdmin: names.adminClaim !== '' && names.adminValue !== '' && includesValue(claims[names.adminClaim], names.adminValue),
  }
}
