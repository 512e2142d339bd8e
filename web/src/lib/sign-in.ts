import { ownOperations } from '@capstan/contract/operations'
import type { FactorProof } from '@capstan/contract/second-factor'
import type { SignInPurpose } from '@capstan/contract/sign-in'
import { call } from './http.ts'
import { toSafeReturnAddress } from './paths.ts'

const returnKey = 'sign-in-return'

/**
 * Opens the login page of an identity provider.
 * @param from address to open after the sign-in
 * @param proof proof of identity. An account with a password needs this proof to link a provider
 */
export async function startProviderSignIn(
  key: string,
  purpose: SignInPurpose,
  from: string | null,
  proof?: FactorProof,
): Promise<void> {
  const { url } = await call(ownOperations.startSignIn, { params: { key }, body: { purpose, ...(proof && { proof }) } })
  if (from) sessionStorage.setItem(returnKey, from)
  else sessionStorage.removeItem(returnKey)
  window.location.assign(url)
}

/** Returns the address to open after a sign-in, and removes the stored address. */
export function takeSignInReturnAddress(): string {
  const from = sessionStorage.getItem(returnKey)
  sessionStorage.removeItem(returnKey)
  return toSafeReturnAddress(from)
}
