import { providerKeyPattern, type SignInKind, type SignInProvider, type SignInProviderWrite } from '@capstan/contract/sign-in'

/** Proper names, which are the same in all languages. */
export const kindNames: Readonly<Record<SignInKind, string>> = {
  OpenId: 'OpenID Connect',
  GitHub: 'GitHub',
  Ctftime: 'CTFtime',
}

/** Values of the form. An empty secret retains the stored one. */
export type ProviderDraft = Readonly<{
  kind: SignInKind
  key: string
  name: string
  issuer: string
  clientId: string
  clientSecret: string
  scope: string
  userName: string
  realName: string
  stdNumber: string
  adminClaim: string
  adminValue: string
  isEnabled: boolean
  endsSession: boolean
}>

export const blankProvider: ProviderDraft = {
  kind: 'OpenId',
  key: '',
  name: '',
  issuer: '',
  clientId: '',
  clientSecret: '',
  scope: '',
  userName: 'preferred_username',
  realName: 'name',
  stdNumber: '',
  adminClaim: '',
  adminValue: '',
  isEnabled: false,
  endsSession: false,
}

export function draftOf(provider: SignInProvider): ProviderDraft {
  const { kind, key, name, issuer, clientId, scope, claims, isEnabled, endsSession } = provider
  return { kind, key, name, issuer, clientId, scope, isEnabled, endsSession, clientSecret: '', ...claims }
}

export function toWrite({ userName, realName, stdNumber, adminClaim, adminValue, ...draft }: ProviderDraft): SignInProviderWrite {
  return {
    ...draft,
    name: draft.name.trim(),
    clientId: draft.clientId.trim(),
    issuer: draft.issuer.trim(),
    clientSecret: draft.clientSecret === '' ? null : draft.clientSecret,
    claims: { userName, realName, stdNumber, adminClaim, adminValue },
  }
}

/** Returns the fields that must be filled or corrected. */
export function faultsOf({ kind, key, name, issuer, clientId }: ProviderDraft): ReadonlySet<keyof ProviderDraft> {
  const faults = new Set<keyof ProviderDraft>()
  if (!providerKeyPattern.test(key)) faults.add('key')
  if (name.trim() === '') faults.add('name')
  if (clientId.trim() === '') faults.add('clientId')
  if (kind === 'OpenId' && !/^https?:\/\/[^\s/]/.test(issuer.trim())) faults.add('issuer')
  return faults
}
