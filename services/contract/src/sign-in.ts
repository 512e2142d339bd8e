// Sign-in with identity providers. Rules: docs/contract/sessions-and-accounts.md#identity-providers.
import { type Static, Type } from 'typebox'
import { RegisterOutcome } from './accounts.ts'
import { nullable, nullableString, stringEnum, Uuid } from './kit.ts'
import { InputLimits, Limits, notEmpty } from './limits.ts'
import { FactorProof } from './second-factor.ts'
import { secondFactorPolicies, signInKinds } from './vocabulary.ts'

export const SignInKind = stringEnum(signInKinds, { title: 'SignInKind' })
export type SignInKind = Static<typeof SignInKind>

/** Pattern that matches the key of an identity provider. The key is part of the provider's callback address. */
export const providerKeyPattern = /^[a-z][a-z0-9-]{0,29}$/

export const ProviderKey = Type.String({ pattern: providerKeyPattern.source, maxLength: Limits.maxProviderKeyLength })

/** Methods with which users can log in. */
export const SignInOptions = Type.Object(
  {
    passwords: Type.Boolean({ description: 'False if only admins log in with a password.' }),
    recovery: Type.Boolean({ description: 'True if users get a mailed link for a new password. If false, they ask an admin.' }),
    providers: Type.Array(Type.Object({ key: Type.String(), kind: SignInKind, name: Type.String() })),
  },
  { title: 'SignInOptions' },
)
export type SignInOptions = Static<typeof SignInOptions>

/**
 * Purpose of a sign-in with an identity provider. `LogIn`: log in, and create an account if needed. `Link`: add the provider to
 * the user's account. `Preview`: only show the values from the provider to an admin.
 */
export const signInPurposes = ['LogIn', 'Link', 'Preview'] as const
export type SignInPurpose = (typeof signInPurposes)[number]

export const SignInStart = Type.Object(
  { purpose: stringEnum(signInPurposes, { default: 'LogIn' }), proof: Type.Optional(FactorProof) },
  { title: 'SignInStart' },
)
export type SignInStart = Static<typeof SignInStart>
export const SignInStarted = Type.Object(
  { url: Type.String({ description: 'Address of the provider that the browser opens next.' }) },
  { title: 'SignInStarted' },
)

export const SignInAnswer = Type.Object(
  {
    answer: Type.String({
      ...notEmpty,
      maxLength: InputLimits.maxSignInAnswerLength,
      description: 'Query string with which the provider has sent the user back.',
    }),
  },
  { title: 'SignInAnswer' },
)

export const SignInLogout = Type.Object(
  {
    url: nullableString({
      description: 'Address of the provider that the browser opens next. Null if the log-out is complete.',
    }),
  },
  { title: 'SignInLogout' },
)

/** Account data that an identity provider sends about a user. */
export const SignInProfile = Type.Object(
  {
    subject: Type.String(),
    userName: Type.String(),
    email: nullableString(),
    isEmailVerified: Type.Boolean(),
    realName: Type.String(),
    stdNumber: Type.String(),
    isAdmin: Type.Boolean(),
    team: nullable(
      Type.Object({
        key: Type.String({ description: 'Id of the team at the provider. Its name if the provider sends no id.' }),
        name: Type.String(),
      }),
    ),
    division: Type.String({ description: 'Empty if the provider names none.' }),
  },
  { title: 'SignInProfile' },
)
export type SignInProfile = Static<typeof SignInProfile>

export const SignInPreview = Type.Object(
  { profile: SignInProfile, claims: Type.String({ description: 'All claims of the provider as JSON.' }) },
  { title: 'SignInPreview' },
)
export type SignInPreview = Static<typeof SignInPreview>

export const SignInFinished = Type.Object(
  {
    outcome: stringEnum([...RegisterOutcome.enum, 'Linked', 'Previewed']),
    preview: nullable(SignInPreview),
  },
  { title: 'SignInFinished' },
)
export type SignInFinished = Static<typeof SignInFinished>

/** Sign-in methods of the user's own account. */
export const OwnIdentities = Type.Object(
  {
    hasPassword: Type.Boolean(),
    identities: Type.Array(
      Type.Object({
        key: Type.String(),
        name: Type.String({ description: 'Name of the provider.' }),
        label: Type.String({ description: 'Name or address of the account at the provider.' }),
        linkedAt: Type.Integer({ format: 'int64', description: 'Milliseconds since 1970, UTC.' }),
      }),
    ),
  },
  { title: 'OwnIdentities' },
)
export type OwnIdentities = Static<typeof OwnIdentities>

function claimName(byDefault: string, description: string) {
  return Type.String({ default: byDefault, maxLength: InputLimits.maxClaimLength, description })
}

export const SignInClaims = Type.Object(
  {
    userName: claimName('preferred_username', 'Claim with the user name.'),
    realName: claimName('name', 'Claim with the real name. Empty: none.'),
    stdNumber: claimName('', 'Claim with the student number. Empty: none.'),
    adminClaim: claimName('', 'Claim that makes admins. Empty: no claim does.'),
    adminValue: claimName('', 'Value, or member of a list, that makes admins.'),
    team: claimName('', 'Claim with the team. Empty: none.'),
    division: claimName('', 'Claim with the division. Empty: none.'),
  },
  { title: 'SignInClaims' },
)
export type SignInClaims = Static<typeof SignInClaims>

export const TeamProviderWrite = Type.Object(
  {
    providerId: Uuid,
    key: Type.String({
      ...notEmpty,
      maxLength: InputLimits.maxTeamKeyLength,
      description: 'Id of the team at the provider. Its name if the provider sends no id.',
    }),
  },
  { title: 'TeamProviderWrite' },
)
export type TeamProviderWrite = Static<typeof TeamProviderWrite>

/** Identity provider that decides who joins a team. */
export const TeamProvider = Type.Object(
  {
    link: nullable(
      Type.Object({
        providerId: Type.String({ format: 'uuid' }),
        name: Type.String({ description: 'Name of the provider.' }),
        key: Type.String({ description: 'Id or name of the team at the provider.' }),
      }),
      { description: 'Null if no provider does.' },
    ),
  },
  { title: 'TeamProvider' },
)
export type TeamProvider = Static<typeof TeamProvider>

const writable = {
  key: ProviderKey,
  name: Type.String({ ...notEmpty, maxLength: Limits.maxProviderNameLength }),
  issuer: Type.String({
    default: '',
    maxLength: InputLimits.maxUrlLength,
    description: 'Issuer of an OpenID Connect provider; ignored for other kinds.',
  }),
  clientId: Type.String({ ...notEmpty, maxLength: InputLimits.maxClaimLength }),
  scope: Type.String({ default: '', maxLength: InputLimits.maxClaimLength, description: 'Empty: the usual scopes of the kind.' }),
  claims: SignInClaims,
  isEnabled: Type.Boolean(),
  teamsEachTime: Type.Boolean({
    default: false,
    description: 'True if each sign-in adds the user to the team of the provider. False: only the first one does.',
  }),
  endsSession: Type.Boolean({
    default: false,
    description: 'True if a log-out also ends the session at an OpenID Connect provider that offers this.',
  }),
}

export const SignInProviderWrite = Type.Object(
  {
    ...writable,
    kind: SignInKind,
    clientSecret: nullableString({
      maxLength: InputLimits.maxClientSecretLength,
      description: 'Null retains the stored secret, unless issuer or kind changes. Empty deletes it.',
    }),
  },
  { title: 'SignInProviderWrite' },
)
export type SignInProviderWrite = Static<typeof SignInProviderWrite>

/** Provider in responses to admins. No response contains the secret. */
export const SignInProvider = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    ...writable,
    kind: SignInKind,
    hasSecret: Type.Boolean({ description: 'True if a client secret is stored.' }),
    isSecretConfigured: Type.Boolean({
      description: 'True if `CAPSTAN_SIGN_IN_SECRETS` has the client secret, which then replaces a stored one.',
    }),
    callbackUrl: nullableString({ description: 'Address that the provider must allow. Null without a public origin.' }),
    logoutUrl: nullableString({
      description: 'Address after a log-out, which the provider must allow. Null without a public origin.',
    }),
    users: Type.Integer({ format: 'int32', description: 'Number of linked accounts.' }),
  },
  { title: 'SignInProvider' },
)
export type SignInProvider = Static<typeof SignInProvider>

const secondFactor = stringEnum(secondFactorPolicies, {
  description: 'Users with a password who have only the rights of a player until they set up a second factor.',
})

export const SignInPolicy = Type.Object(
  {
    passwords: Type.Boolean({ description: 'False: only admins log in with a password, and registration is closed.' }),
    secondFactor: Type.Optional(secondFactor),
  },
  { title: 'SignInPolicy' },
)
export type SignInPolicy = Static<typeof SignInPolicy>

export const SignInSettings = Type.Object(
  {
    origin: nullableString({ description: 'CAPSTAN_PUBLIC_ORIGIN, which callbacks need.' }),
    passwords: Type.Boolean(),
    secondFactor,
    providers: Type.Array(SignInProvider),
  },
  { title: 'SignInSettings' },
)
export type SignInSettings = Static<typeof SignInSettings>
