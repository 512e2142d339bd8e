import { type Static, Type } from 'typebox'
import { Role } from './common.ts'
import { additive, nullable, nullableString, phoneInputSchema, type SchemaOptions, stringEnum } from './kit.ts'
import { InputLimits, Limits, notEmpty } from './limits.ts'

/** Password of at least 6 characters. It must contain a digit, a lowercase letter and an uppercase letter. */
export const NewPassword = Type.String({
  format: 'password',
  minLength: Limits.minPasswordLength,
  maxLength: InputLimits.maxPasswordLength,
})
export type NewPassword = Static<typeof NewPassword>

/** Captcha providers that the API description of the reference platform lists. This platform also has `HashPow`. */
const ReferenceCaptchaProvider = stringEnum(['None', 'GoogleRecaptcha', 'CloudflareTurnstile'], { title: 'CaptchaProvider' })

export const captchaProviders = [...ReferenceCaptchaProvider.enum, 'HashPow'] as const
export type CaptchaProvider = (typeof captchaProviders)[number]

/** Captcha settings. If captcha is off or not configured, `type` is `None` and `siteKey` is empty. */
export const CaptchaInfo = Type.Object(
  {
    type: Type.Unsafe<CaptchaProvider>(ReferenceCaptchaProvider),
    siteKey: Type.String({ default: '' }),
  },
  { title: 'CaptchaInfo' },
)
export type CaptchaInfo = Static<typeof CaptchaInfo>

/** Proof-of-work puzzle. Rules: docs/contract/sessions-and-accounts.md#proof-of-work. */
export const PowChallenge = Type.Object(
  {
    id: Type.String({ pattern: '^[0-9a-f]{12}$' }),
    challenge: Type.String({ pattern: '^[0-9a-f]{16}$', description: '8 bytes in hexadecimal digits.' }),
    difficulty: Type.Integer({ description: 'Number of leading zero bits that the hash needs.' }),
  },
  { title: 'PowChallenge' },
)
export type PowChallenge = Static<typeof PowChallenge>

export function emailInputSchema(options: SchemaOptions = {}) {
  return Type.String({ format: 'email', maxLength: InputLimits.maxEmailLength, ...options })
}

function captchaAnswer() {
  return Type.Optional(
    nullableString({
      maxLength: InputLimits.maxCaptchaAnswerLength,
      description: 'Captcha answer of the provider; needed only while captcha is on.',
    }),
  )
}

/** Returns the schema of a Base64 value in a mailed link. */
function linkValue(options: SchemaOptions = {}) {
  return Type.String({ contentEncoding: 'base64', maxLength: InputLimits.maxLinkValueLength, ...options })
}

export const LoginRequest = Type.Object(
  {
    userName: Type.String({ ...notEmpty, maxLength: InputLimits.maxEmailLength, description: 'Username or email address.' }),
    password: Type.String({ format: 'password', ...notEmpty, maxLength: InputLimits.maxPasswordLength }),
    challenge: captchaAnswer(),
    link: Type.Optional(
      Type.Boolean({
        default: false,
        ...additive,
        description: 'True only in the form that offers to link an identity provider. The login then links it.',
      }),
    ),
  },
  { title: 'LoginRequest' },
)
export type LoginRequest = Static<typeof LoginRequest>

export const RegisterRequest = Type.Object(
  {
    userName: Type.String({
      minLength: Limits.minUserNameLength,
      maxLength: Limits.maxUserNameLength,
      description: 'Any characters; unique without regard to case.',
    }),
    password: NewPassword,
    email: emailInputSchema({ description: 'Unique without regard to case.' }),
    challenge: captchaAnswer(),
  },
  { title: 'RegisterRequest' },
)
export type RegisterRequest = Static<typeof RegisterRequest>

/**
 * Next step for a new user: wait for the confirmation by an admin, or confirm the email address. With `LoggedIn`, the user is
 * already logged in.
 */
export const RegisterOutcome = stringEnum(['LoggedIn', 'AdminConfirmationRequired', 'EmailConfirmationRequired'], {
  title: 'RegisterOutcome',
})
export type RegisterOutcome = Static<typeof RegisterOutcome>

export const RegisterResponse = Type.Object(
  {
    title: Type.String(),
    data: RegisterOutcome,
    status: Type.Literal(200),
  },
  { title: 'RegisterResponse' },
)
export type RegisterResponse = Static<typeof RegisterResponse>

/** Values in the query string of the mailed link. */
export const EmailTokenRequest = Type.Object(
  {
    token: linkValue(),
    email: linkValue({ description: 'Base64 of the address being confirmed.' }),
  },
  { title: 'EmailTokenRequest' },
)
export type EmailTokenRequest = Static<typeof EmailTokenRequest>

export const RecoveryRequest = Type.Object(
  {
    email: emailInputSchema(),
    challenge: captchaAnswer(),
  },
  { title: 'RecoveryRequest' },
)
export type RecoveryRequest = Static<typeof RecoveryRequest>

/** Values in the query string of the mailed link. */
export const PasswordResetRequest = Type.Object(
  {
    password: NewPassword,
    email: linkValue({ description: 'Base64 of the address.' }),
    rToken: linkValue({ description: 'Base64 of the reset token.' }),
  },
  { title: 'PasswordResetRequest' },
)
export type PasswordResetRequest = Static<typeof PasswordResetRequest>

export const PasswordChangeRequest = Type.Object(
  {
    old: NewPassword,
    new: NewPassword,
  },
  { title: 'PasswordChangeRequest' },
)
export type PasswordChangeRequest = Static<typeof PasswordChangeRequest>

export const EmailChangeRequest = Type.Object(
  {
    newMail: emailInputSchema(),
  },
  { title: 'EmailChangeRequest' },
)
export type EmailChangeRequest = Static<typeof EmailChangeRequest>

/**
 * Result of a change of the email address. `data` is true if a link was sent to the new address. If only an admin can change the
 * address, `data` is false and the HTTP status is 400.
 */
export const EmailChangeResponse = Type.Object(
  {
    title: Type.String(),
    data: Type.Boolean(),
    status: Type.Integer({ format: 'int32' }),
  },
  { title: 'EmailChangeResponse' },
)
export type EmailChangeResponse = Static<typeof EmailChangeResponse>

/** Changes to the caller's profile. Absent or null fields remain unchanged. */
export const ProfileUpdateRequest = Type.Object(
  {
    userName: Type.Optional(nullableString({ minLength: Limits.minUserNameLength, maxLength: Limits.maxUserNameLength })),
    bio: Type.Optional(nullableString({ maxLength: Limits.maxUserBioLength })),
    phone: Type.Optional(phoneInputSchema()),
    realName: Type.Optional(nullableString({ maxLength: Limits.maxRealNameLength })),
    stdNumber: Type.Optional(nullableString({ maxLength: Limits.maxStudentNumberLength })),
  },
  { title: 'ProfileUpdateRequest' },
)
export type ProfileUpdateRequest = Static<typeof ProfileUpdateRequest>

/** Full profile, for its owner and for admins. */
export const UserProfile = Type.Object(
  {
    userId: Type.String({ format: 'uuid' }),
    userName: nullableString(),
    email: nullableString(),
    bio: nullableString(),
    phone: nullableString(),
    realName: nullableString(),
    stdNumber: nullableString(),
    avatar: nullableString({ description: '`/assets/{hash}/avatar` or null.' }),
    role: Role,
  },
  { title: 'UserProfile' },
)
export type UserProfile = Static<typeof UserProfile>

export const OwnSession = Type.Object(
  { profile: nullable(UserProfile, { description: 'Null for a visitor.' }) },
  { title: 'OwnSession' },
)
export type OwnSession = Static<typeof OwnSession>
