// Creates and checks messages of WebAuthn Level 3 (W3C) with `@simplewebauthn/server`.
import { isIP } from 'node:net'
import { Problem } from '@capstan/contract/problems'
import {
  type AuthenticationResponseJSON,
  type AuthenticatorTransport,
  generateAuthenticationOptions,
  generateRegistrationOptions,
  type PublicKeyCredentialCreationOptionsJSON,
  type PublicKeyCredentialRequestOptionsJSON,
  type RegistrationResponseJSON,
  verifyAuthenticationResponse,
  verifyRegistrationResponse,
} from '@simplewebauthn/server'
import { decodeAttestationObject, isoBase64URL } from '@simplewebauthn/server/helpers'
import type { PasskeyRow } from './repository.ts'

/** Relying party (WebAuthn): the site for which a passkey is valid. */
export type RelyingParty = Readonly<{
  /** Host name. */
  id: string
  origin: string
}>

/**
 * Returns the relying party for the public origin.
 * @returns undefined if browsers offer no passkeys at this origin: on IP addresses and over HTTP
 */
export function relyingPartyOf(publicOrigin: string | undefined): RelyingParty | undefined {
  if (publicOrigin === undefined) return undefined
  const { hostname, origin, protocol } = new URL(publicOrigin)
  const isSecure = protocol === 'https:' || hostname === 'localhost'
  return isSecure && isIP(hostname) === 0 && !hostname.startsWith('[') ? { id: hostname, origin } : undefined
}

/** Signature algorithms that all browsers support: EdDSA, ES256 and RS256, as COSE numbers. */
const algorithms = [-8, -7, -257]

/** Maximum length of a credential id according to WebAuthn. The index of the table would refuse much longer ids. */
const maxCredentialIdBytes = 1023

const knownTransports = ['ble', 'cable', 'hybrid', 'internal', 'nfc', 'smart-card', 'usb']

/** Returns the known transports of a list that a client sent. The list may contain any JSON values, or be no list. */
function knownTransportsOf(given: unknown): string[] {
  return Array.isArray(given) ? knownTransports.filter((transport) => given.includes(transport)) : []
}

type KnownPasskey = Pick<PasskeyRow, 'credentialId' | 'transports'>

function descriptorOf({ credentialId, transports }: KnownPasskey) {
  return { id: credentialId, transports: transports as AuthenticatorTransport[] }
}

type NewSetup = Readonly<{ title: string; userId: string; userName: string; known: readonly KnownPasskey[] }>

export function createPasskeySetupOptions(
  party: RelyingParty,
  { title, userId, userName, known }: NewSetup,
): Promise<PublicKeyCredentialCreationOptionsJSON> {
  return generateRegistrationOptions({
    rpName: title,
    rpID: party.id,
    userName,
    userID: new TextEncoder().encode(userId),
    excludeCredentials: known.map(descriptorOf),
    supportedAlgorithmIDs: algorithms,
    authenticatorSelection: { residentKey: 'discouraged', userVerification: 'discouraged' },
  })
}

export function createPasskeyLoginOptions(
  party: RelyingParty,
  known: readonly KnownPasskey[],
): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return generateAuthenticationOptions({
    rpID: party.id,
    allowCredentials: known.map(descriptorOf),
    userVerification: 'discouraged',
  })
}

/**
 * Refuses an answer with certificates. Our options never request certificates, and the library would download their revocation
 * lists from addresses that the client chooses.
 */
function refuseCertificates({ response }: RegistrationResponseJSON): void {
  const attestation = decodeAttestationObject(isoBase64URL.toBuffer(response.attestationObject))
  const format = attestation.get('fmt')
  const isPlain = format === 'none' || (format === 'packed' && attestation.get('attStmt').get('x5c') === undefined)
  if (!isPlain) throw new Error(`Unexpected attestation ${format}`)
}

/**
 * Runs the verification of a passkey's answer. All faults become the same problem, since the user can only try again.
 * @throws Problem `passkey.refused`
 */
async function refusing<Value>(verify: () => Promise<Value | undefined>): Promise<Value> {
  const verified = await verify().catch(() => undefined)
  if (verified === undefined) throw new Problem('passkey.refused')
  return verified
}

/** Checks the answer of an authenticator to a setup. @returns the columns of the new passkey @throws Problem `passkey.refused` */
export function verifyPasskeySetup(party: RelyingParty, answer: string, challenge: string) {
  return refusing(async () => {
    const response = JSON.parse(answer) as RegistrationResponseJSON
    refuseCertificates(response)
    const { registrationInfo } = await verifyRegistrationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      supportedAlgorithmIDs: algorithms,
    })
    if (!registrationInfo) return undefined
    const { id, publicKey, counter, transports } = registrationInfo.credential
    if (isoBase64URL.toBuffer(id).length > maxCredentialIdBytes) return undefined
    return {
      credentialId: id,
      publicKey: isoBase64URL.fromBuffer(publicKey),
      signCount: counter,
      transports: knownTransportsOf(transports),
    }
  })
}

type LoginAnswer = Readonly<{ answer: string; challenge: string; known: readonly PasskeyRow[] }>

/**
 * Checks the answer of an authenticator to a login.
 * @returns the passkey and its new signature count
 * @throws Problem `passkey.refused`
 */
export function verifyPasskeyLogin(party: RelyingParty, { answer, challenge, known }: LoginAnswer) {
  return refusing(async () => {
    const response = JSON.parse(answer) as AuthenticationResponseJSON
    const passkey = known.find(({ credentialId }) => credentialId === response.id)
    if (!passkey) return undefined
    const { verified, authenticationInfo } = await verifyAuthenticationResponse({
      response,
      expectedChallenge: challenge,
      expectedOrigin: party.origin,
      expectedRPID: party.id,
      requireUserVerification: false,
      credential: {
        id: passkey.credentialId,
        publicKey: isoBase64URL.toBuffer(passkey.publicKey),
        counter: passkey.signCount,
      },
    })
    return verified ? { id: passkey.id, signCount: authenticationInfo.newCounter } : undefined
  })
}
