// Second factor of local accounts. Rules: docs/contract/sessions-and-accounts.md#second-factor.
import { type Static, Type } from 'typebox'
import { nullable, Uuid } from './kit.ts'
import { InputLimits, notEmpty } from './limits.ts'

const instant = Type.Integer({ format: 'int64', description: 'Milliseconds since 1970, UTC.' })

export const Passkey = Type.Object(
  {
    id: Uuid,
    name: Type.String(),
    createdAt: instant,
    lastUsedAt: nullable(instant, { description: 'Time of the last use. Null before the first one.' }),
  },
  { title: 'Passkey' },
)
export type Passkey = Static<typeof Passkey>

export const SecondFactor = Type.Object(
  {
    hasPassword: Type.Boolean({ description: 'False if only identity providers log in. No second factor is then possible.' }),
    enabledAt: nullable(instant, {
      description: 'Time at which the authenticator was set up. Null if there is none.',
    }),
    recoveryCodes: Type.Integer({ format: 'int32', description: 'Number of unused recovery codes.' }),
    passkeys: Type.Array(Passkey, { description: 'Oldest first.' }),
    isMissing: Type.Boolean({ description: 'True if the platform requires a second factor of this account, which has none.' }),
    canAddPasskeys: Type.Boolean({
      description: 'True if `CAPSTAN_PUBLIC_ORIGIN` is an HTTPS address with a host name, to which passkeys belong.',
    }),
  },
  { title: 'SecondFactor' },
)
export type SecondFactor = Static<typeof SecondFactor>

export const TotpSetup = Type.Object(
  {
    secret: Type.String({ description: 'Secret in Base32, for typing.' }),
    address: Type.String({ description: 'Address `otpauth://…` that authenticator apps open.' }),
    picture: Type.String({ description: 'QR code of the address, as SVG.' }),
    setup: Type.String({
      description: 'Sealed secret, which the next call sends back. It is valid for the session of this call.',
    }),
  },
  { title: 'TotpSetup' },
)
export type TotpSetup = Static<typeof TotpSetup>

const Code = Type.String({ ...notEmpty, maxLength: InputLimits.maxFactorCodeLength })

export const TotpConfirmation = Type.Object(
  { setup: Type.String({ ...notEmpty, maxLength: InputLimits.maxSealedSetupLength }), code: Code },
  { title: 'TotpConfirmation' },
)

export const LoginCode = Type.Object(
  {
    code: Type.String({
      ...notEmpty,
      maxLength: InputLimits.maxFactorCodeLength,
      description: 'Code of the authenticator, or a recovery code.',
    }),
  },
  { title: 'LoginCode' },
)

/** New recovery codes. They are returned only once, in this response. */
export const RecoveryCodes = Type.Object({ codes: Type.Array(Type.String()) }, { title: 'RecoveryCodes' })
export type RecoveryCodes = Static<typeof RecoveryCodes>

const sealed = Type.String({ ...notEmpty, maxLength: InputLimits.maxSealedSetupLength })
/**
 * Response of the user's authenticator, in the JSON format of WebAuthn Level 3 (`RegistrationResponseJSON` or
 * `AuthenticationResponseJSON`).
 */
const answer = Type.String({
  ...notEmpty,
  maxLength: InputLimits.maxPasskeyAnswerLength,
  description: "JSON that `toJSON()` of the browser's credential returns.",
})

export const PasskeySetup = Type.Object(
  {
    options: Type.String({ description: 'JSON for `PublicKeyCredential.parseCreationOptionsFromJSON`.' }),
    setup: Type.String({
      description: 'Sealed challenge, which the next call sends back. It is valid for the session of this call.',
    }),
  },
  { title: 'PasskeySetup' },
)
export type PasskeySetup = Static<typeof PasskeySetup>

export const NewPasskey = Type.Object(
  { setup: sealed, answer, name: Type.String({ ...notEmpty, maxLength: InputLimits.maxPasskeyNameLength }) },
  { title: 'NewPasskey' },
)
export type NewPasskey = Static<typeof NewPasskey>

export const PasskeyChallenge = Type.Object(
  {
    options: Type.String({ description: 'JSON for `PublicKeyCredential.parseRequestOptionsFromJSON`.' }),
    challenge: Type.String({ description: 'Sealed challenge, which the next call sends back.' }),
  },
  { title: 'PasskeyChallenge' },
)
export type PasskeyChallenge = Static<typeof PasskeyChallenge>

export const LoginFactors = Type.Object(
  { passkey: Type.Union([PasskeyChallenge, Type.Null()], { description: 'Null if the account has no passkey.' }) },
  { title: 'LoginFactors' },
)
export type LoginFactors = Static<typeof LoginFactors>

export const PasskeyLogin = Type.Object({ challenge: sealed, answer }, { title: 'PasskeyLogin' })
export type PasskeyLogin = Static<typeof PasskeyLogin>

/**
 * Proof of identity before a change of the second factor. If the account already has a second factor, a code or the response of a
 * passkey is needed in addition to the password.
 */
export const FactorProof = Type.Object(
  {
    password: Type.String({ format: 'password', ...notEmpty, maxLength: InputLimits.maxPasswordLength }),
    code: Type.Optional(LoginCode.properties.code),
    passkey: Type.Optional(PasskeyLogin),
  },
  { title: 'FactorProof' },
)
export type FactorProof = Static<typeof FactorProof>
