import { type Static, Type } from 'typebox'
import { emailInputSchema } from './accounts.ts'
import { nullable, nullableString } from './kit.ts'
import { InputLimits, InstanceLimits, Limits, notNegative } from './limits.ts'

export const AccountPolicy = Type.Object(
  {
    allowRegister: Type.Optional(Type.Boolean({ default: true })),
    activeOnRegister: Type.Optional(Type.Boolean({ default: true })),
    useCaptcha: Type.Optional(Type.Boolean({ default: false })),
    emailConfirmationRequired: Type.Optional(Type.Boolean({ default: false })),
    emailDomainList: Type.Optional(
      Type.String({
        default: '',
        maxLength: InputLimits.maxEmailDomainsLength,
        description: 'Comma-separated; empty = any domain.',
      }),
    ),
  },
  { title: 'AccountPolicy' },
)
export type AccountPolicy = Static<typeof AccountPolicy>

export const GlobalSettings = Type.Object(
  {
    title: Type.Optional(Type.String({ maxLength: InputLimits.maxTitleLength, description: 'Platform name.' })),
    slogan: Type.Optional(Type.String({ default: 'Hack for fun not for profit', maxLength: InputLimits.maxShortTextLength })),
    description: Type.Optional(
      nullableString({ maxLength: InputLimits.maxShortTextLength, description: "For the page's meta description." }),
    ),
    footerInfo: Type.Optional(nullableString({ maxLength: InputLimits.maxLongTextLength, description: 'Markdown.' })),
    customTheme: Type.Optional(
      nullableString({
        maxLength: InputLimits.maxColorLength,
        description: '`#` and six hex digits, or empty for the built-in palette.',
      }),
    ),
    logoHash: Type.Optional(nullableString({ readOnly: true, maxLength: InputLimits.sha256HexLength })),
    faviconHash: Type.Optional(nullableString({ readOnly: true, maxLength: InputLimits.sha256HexLength })),
    defaultFlagTemplate: Type.Optional(
      nullableString({
        maxLength: Limits.maxFlagTemplateLength,
        description: 'Preset for new DynamicContainer challenges.',
        'x-inferred': true,
      }),
    ),
  },
  { title: 'GlobalSettings' },
)
export type GlobalSettings = Static<typeof GlobalSettings>

/** Container settings. Times are in minutes. */
export const ContainerPolicy = Type.Object(
  {
    autoDestroyOnLimitReached: Type.Optional(Type.Boolean({ default: false })),
    maxExerciseContainerCountPerUser: Type.Optional(
      Type.Integer({
        format: 'int32',
        default: 1,
        ...notNegative,
        maximum: InputLimits.maxInt32,
        description: 'Unused, but stored so that clients can send it back.',
      }),
    ),
    defaultLifetime: Type.Optional(
      Type.Integer({
        format: 'int32',
        default: Limits.defaultLifetimeMinutes,
        minimum: InstanceLimits.minLifetimeMinutes,
        maximum: InstanceLimits.maxLifetimeMinutes,
      }),
    ),
    extensionDuration: Type.Optional(
      Type.Integer({
        format: 'int32',
        default: Limits.extensionDurationMinutes,
        minimum: InstanceLimits.minLifetimeMinutes,
        maximum: InstanceLimits.maxLifetimeMinutes,
      }),
    ),
    renewalWindow: Type.Optional(
      Type.Integer({
        format: 'int32',
        default: Limits.renewalWindowMinutes,
        minimum: InstanceLimits.minRenewalWindowMinutes,
        maximum: InstanceLimits.maxRenewalWindowMinutes,
      }),
    ),
  },
  { title: 'ContainerPolicy' },
)
export type ContainerPolicy = Static<typeof ContainerPolicy>

/**
 * Settings of the platform. A PUT request does not change a section that is absent or null. Nor does the request change a text
 * that is null. The request ignores the hashes of pictures.
 */
export const PlatformSettings = Type.Object(
  {
    accountPolicy: Type.Optional(nullable(AccountPolicy)),
    globalConfig: Type.Optional(nullable(GlobalSettings)),
    containerPolicy: Type.Optional(nullable(ContainerPolicy)),
  },
  { title: 'PlatformSettings' },
)
export type PlatformSettings = Static<typeof PlatformSettings>

export const ClientConfig = Type.Object(
  {
    title: Type.String({ description: 'Default: two letters.' }),
    slogan: Type.String({ default: 'Hack for fun not for profit' }),
    footerInfo: nullableString(),
    customTheme: nullableString(),
    logoUrl: nullableString({ description: '`/assets/{hash}/logo` or null.' }),
    defaultLifetime: Type.Integer({ format: 'int32', default: Limits.defaultLifetimeMinutes, description: 'Minutes.' }),
    extensionDuration: Type.Integer({ format: 'int32', default: Limits.extensionDurationMinutes, description: 'Minutes.' }),
    renewalWindow: Type.Integer({ format: 'int32', default: Limits.renewalWindowMinutes, description: 'Minutes.' }),
  },
  { title: 'ClientConfig' },
)
export type ClientConfig = Static<typeof ClientConfig>

export const MailState = Type.Object(
  { waiting: Type.Integer({ format: 'int32', description: 'Number of mails in the queue.' }) },
  { title: 'MailState' },
)

export const TestMailRequest = Type.Object({ recipient: emailInputSchema() }, { title: 'TestMailRequest' })
export type TestMailRequest = Static<typeof TestMailRequest>

/**
 * Address of the source repository in the admin settings. If it is null, the address comes from the deployment configuration or
 * from the build.
 */
export const ProjectLinks = Type.Object(
  {
    repositoryUrl: nullableString({
      maxLength: InputLimits.maxUrlLength,
      pattern: '^https?://[^\\s"<>\\\\]+$',
      description: 'Address of the repository, without a key in it.',
    }),
  },
  { title: 'ProjectLinks' },
)
export type ProjectLinks = Static<typeof ProjectLinks>
