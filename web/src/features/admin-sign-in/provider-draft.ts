import { providerKeyPattern, type SignInKind, type SignInProvider, type SignInProviderWrite } from '@capstan/contract/sign-in'

/** Names of the kinds of identity providers. They are the same in all languages. */
export const kindNames: Readonly<Record<SignInKind, string>> = {
  OpenId: 'OpenID Connect',
  GitHub: 'GitHub',
  Ctftime: 'CTFtime',
}

/** Form values of a provider. If the secret is empty, the server retains the stored secret. */
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
  team: string
  division: string
  isEnabled: boolean
  endsSession: boolean
  teamsEachTime: boolean
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
  team: '',
  division: '',
  isEnabled: false,
  endsSession: false,
  teamsEachTime: false,
}

export function toProviderDraft(provider: SignInProvider): ProviderDraft {
  const { kind, key, name, issuer, clientId, scope, claims, isEnabled, endsSession, teamsEachTime } = provider
  return { kind, key, name, issuer, clientId, scope, isEnabled, endsSession, teamsEachTime, clientSecret: '', ...claims }
}

export function toProviderRequest(fields: ProviderDraft): SignInProviderWrite {
  const { userName, realName, stdNumber, adminClaim, adminValue, team, division, ...draft } = fields
  return {
    ...draft,
    name: draft.name.trim(),
    clientId: draft.clientId.trim(),
    issuer: draft.issuer.trim(),
    clientSecret: draft.clientSecret === '' ? null : draft.clientSecret,
    claims: { userName, realName, stdNumber, adminClaim, adminValue, team, division },
  }
}

/** True if the server deletes the stored secret, because the draft has another issuer or kind. */
export function willStoredSecretBeDeleted({ kind, issuer }: ProviderDraft, stored: SignInProvider | undefined): boolean {
  if (!stored?.hasSecret || stored.isSecretConfigured) return false
  return kind !== stored.kind || (kind === 'OpenId' && issuer.trim() !== stored.issuer)
}

/** Returns the fields that must be filled or corrected. @param stored provider to change */
export function listFaultyProviderFields(draft: ProviderDraft, stored?: SignInProvider): ReadonlySet<keyof ProviderDraft> {
  const { kind, key, name, issuer, clientId, clientSecret } = draft
  const faults = new Set<keyof ProviderDraft>()
  if (!providerKeyPattern.test(key)) faults.add('key')
  if (name.trim() === '') faults.add('name')
  if (clientId.trim() === '') faults.add('clientId')
  if (kind === 'OpenId' && !/^https?:\/\/[^\s/]/.test(issuer.trim())) faults.add('issuer')
  if (clientSecret === '' && willStoredSecretBeDeleted(draft, stored)) faults.add('clientSecret')
  return faults
}
