// Second factor of local accounts. Rules: docs/contract/sessions-and-accounts.md#second-factor.
import { type Static, Type } from 'typebox'
import { nullable } from './kit.ts'
import { InputLimits, notEmpty } from './limits.ts'

export const SecondFactor = Type.Object(
  {
    hasPassword: Type.Boolean({ description: 'False if only identity providers log in. No second factor is then possible.' }),
    enabledAt: nullable(Type.Integer({ format: 'int64', description: 'Milliseconds since 1970, UTC.' }), {
      description: 'Time at which the authenticator was set up. Null if there is none.',
    }),
    recoveryCodes: Type.Integer({ format: 'int32', description: 'Number of unused recovery codes.' }),
  },
  { title: 'SecondFactor' },
)
export type SecondFactor = Static<typeof SecondFactor>

/** Own password, which confirms a change of the second factor. */
export const PasswordProof = Type.Object(
  { password: Type.String({ format: 'password', ...notEmpty, maxLength: InputLimits.maxPasswordLength }) },
  { title: 'PasswordProof' },
)

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

/** New recovery codes. Only this answer shows them. */
export const RecoveryCodes = Type.Object({ codes: Type.Array(Type.String()) }, { title: 'RecoveryCodes' })
export type RecoveryCodes = Static<typeof RecoveryCodes>
