import { type Static, Type } from 'typebox'
import { nullableInteger, nullableString, stringEnum } from './kit.ts'
import { languageCodes } from './languages.ts'
import { InputLimits, Limits, notEmpty, notEmptyList } from './limits.ts'
import { organizerKinds, publicKinds, webhookServices, webhookStates } from './vocabulary.ts'

export const WebhookKind = stringEnum([...publicKinds, ...organizerKinds], { title: 'WebhookKind' })
export type WebhookKind = Static<typeof WebhookKind>

export const WebhookService = stringEnum(webhookServices, { title: 'WebhookService' })
export type WebhookService = Static<typeof WebhookService>

/** Names of placeholders that a template can contain in braces. */
export const webhookPlaceholders = ['message', 'kind', 'game', 'challenge', 'category', 'team', 'text', 'time', 'url'] as const
export type WebhookPlaceholder = (typeof webhookPlaceholders)[number]

/**
 * Default templates of webhooks: JSON whose texts contain placeholders. A message from a default template never notifies a whole
 * channel, even if a team or challenge has a name such as `@everyone`.
 */
export const defaultTemplates: Readonly<Record<WebhookService, string>> = {
  Json: JSON.stringify(
    {
      type: '{kind}',
      timestamp: '{time}',
      data: { message: '{message}', game: '{game}', challenge: '{challenge}', team: '{team}', text: '{text}', url: '{url}' },
    },
    null,
    2,
  ),
  Discord: JSON.stringify({ content: '{message}', allowed_mentions: { parse: [] } }, null, 2),
  Slack: JSON.stringify({ text: '{message}' }, null, 2),
  Telegram: JSON.stringify({ text: '{message}', link_preview_options: { is_disabled: true } }, null, 2),
  Mattermost: JSON.stringify({ text: '{message}' }, null, 2),
  Matrix: JSON.stringify({ msgtype: 'm.notice', body: '{message}', 'm.mentions': {} }, null, 2),
}

const instant = { format: 'date-time' } as const
const Language = stringEnum(languageCodes, { description: 'Language of the messages.' })
const Template = Type.String({
  ...notEmpty,
  maxLength: Limits.maxWebhookTemplateLength,
  description:
    'JSON. Its texts can contain `{message}`, `{kind}`, `{game}`, `{challenge}`, `{category}`, `{team}`, `{text}`, `{time}` and `{url}`.',
})

const settings = {
  service: WebhookService,
  gameId: nullableInteger({
    format: 'int32',
    minimum: InputLimits.minId,
    maximum: InputLimits.maxInt32,
    description: 'The only game of the webhook; null for all games.',
  }),
  isForOrganizers: Type.Boolean({ description: 'Permits the kinds that only organizers may see.' }),
  language: Language,
  isEnabled: Type.Boolean(),
}

/** Webhook for admins. No response contains its address, authorization and signing keys. */
export const Webhook = Type.Object(
  {
    id: Type.String({ format: 'uuid' }),
    name: Type.String(),
    ...settings,
    kinds: Type.Array(WebhookKind),
    template: Type.String(),
    host: Type.String({ description: 'Host of the address.' }),
    hasAuthorization: Type.Boolean(),
    gameTitle: nullableString(),
    disabledReason: nullableString({ description: 'Why the platform switched the webhook off.' }),
    pending: Type.Integer({ format: 'int32', description: 'Number of events that wait, without those that a freeze hides.' }),
    lastError: nullableString({ description: 'Last failure, if the webhook has failed since its last success.' }),
    nextAttemptAt: nullableString({ ...instant, description: 'Time of the next attempt after a failure.' }),
    createdAt: Type.String(instant),
  },
  { title: 'Webhook' },
)
export type Webhook = Static<typeof Webhook>

export const WebhookWrite = Type.Object(
  {
    name: Type.String({ ...notEmpty, maxLength: Limits.maxWebhookNameLength }),
    ...settings,
    kinds: Type.Array(WebhookKind, { ...notEmptyList, maxItems: Limits.maxWebhookKinds }),
    template: Template,
    address: nullableString({ maxLength: Limits.maxWebhookAddressLength, description: 'Null retains the address.' }),
    authorization: nullableString({
      maxLength: Limits.maxWebhookAddressLength,
      description: 'Header `Authorization`. Null retains it for an address with the same origin, an empty text removes it.',
    }),
  },
  { title: 'WebhookWrite' },
)
export type WebhookWrite = Static<typeof WebhookWrite>

const signingKey = Type.String({ description: 'Key of the signature, as in Standard Webhooks. Only this response contains it.' })

export const WebhookCreated = Type.Object({ webhook: Webhook, signingKey }, { title: 'WebhookCreated' })
export type WebhookCreated = Static<typeof WebhookCreated>

export const WebhookKey = Type.Object({ signingKey }, { title: 'WebhookKey' })
export type WebhookKey = Static<typeof WebhookKey>

export const WebhookPreviewInput = Type.Object(
  { service: WebhookService, kind: WebhookKind, language: Language, template: Template },
  { title: 'WebhookPreviewInput' },
)
export type WebhookPreviewInput = Static<typeof WebhookPreviewInput>

export const WebhookPreview = Type.Object({ body: Type.String() }, { title: 'WebhookPreview' })
export type WebhookPreview = Static<typeof WebhookPreview>

/** Outcome of a request to a webhook. */
export const WebhookTestResult = Type.Object(
  {
    status: nullableInteger({ format: 'int32', description: 'Status of the answer; null without an answer.' }),
    answer: nullableString({ description: 'Begin of the answer.' }),
    error: nullableString(),
  },
  { title: 'WebhookTestResult' },
)
export type WebhookTestResult = Static<typeof WebhookTestResult>

/** Event that was or will be sent to a webhook, with the last request and its response. */
export const WebhookDelivery = Type.Object(
  {
    id: Type.Integer({ format: 'int64' }),
    eventId: Type.String({ format: 'uuid', description: 'The same in all attempts: header `webhook-id`.' }),
    kind: WebhookKind,
    state: stringEnum(webhookStates, {
      description: '`Held` until the reveal of a frozen board. `Dropped` events had become invisible or invalid.',
    }),
    gameTitle: nullableString(),
    occurredAt: Type.String(instant),
    attempts: Type.Integer({ format: 'int32' }),
    attemptedAt: nullableString(instant),
    request: nullableString({ description: 'Body of the last request.' }),
    status: nullableInteger({ format: 'int32' }),
    answer: nullableString(),
    error: nullableString(),
  },
  { title: 'WebhookDelivery' },
)
export type WebhookDelivery = Static<typeof WebhookDelivery>
