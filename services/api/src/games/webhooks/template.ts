// Bodies of webhooks. A template is JSON, and placeholders are replaced inside its texts, so every body is valid JSON.
import type { LanguageCode } from '@capstan/contract/languages'
import { Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import { fillPlaceholders, serverTexts } from '@capstan/contract/server-texts'
import type { WebhookKind, WebhookPlaceholder, WebhookService } from '@capstan/contract/webhooks'

/** Names and texts of an event. If one of them is absent, its placeholder becomes an empty text. */
export type EventFacts = Readonly<{
  game: string
  challenge?: string | null | undefined
  category?: string | null | undefined
  team?: string | null | undefined
  text?: string | null | undefined
  url?: string | undefined
  occurredAt: Date
}>

type Json = null | boolean | number | string | readonly Json[] | { readonly [name: string]: Json }

function identity(text: string): string {
  return text
}

function escapeMarkdown(text: string): string {
  return text.replaceAll(/[\\`*_~|[\]()<>#]/g, String.raw`\$&`)
}

/** Separates `@` from the following word, so that a name such as `@all` notifies no one. */
function escapeMentions(text: string): string {
  return text.replaceAll('@', '@\u200B')
}

/** Functions that escape a character of a name in a message. A team therefore cannot write links or mentions into a chat. */
const escapes: Readonly<Record<WebhookService, (letter: string) => string>> = {
  Json: identity,
  Discord: (letter) => escapeMentions(escapeMarkdown(letter)),
  Slack: (letter) => letter.replace('&', '&amp;').replace('<', '&lt;').replace('>', '&gt;'),
  Telegram: escapeMentions,
  Mattermost: (letter) => escapeMentions(escapeMarkdown(letter)),
  Matrix: escapeMentions,
}

/** Escapes a text and shortens the result, without splitting a letter or an escape sequence. */
function escapeText(text: string, escapeLetter: (letter: string) => string): string {
  let escaped = ''
  for (const letter of text) {
    const next = escaped + escapeLetter(letter)
    if (next.length > Limits.maxWebhookTextLength) break
    escaped = next
  }
  return escaped
}

function fillAll(value: Json, values: Readonly<Record<string, string>>): Json {
  if (typeof value === 'string') return fillPlaceholders(value, values)
  if (value === null || typeof value !== 'object') return value
  if (Array.isArray(value)) return value.map((item: Json) => fillAll(item, values))
  return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, fillAll(item as Json, values)]))
}

export type WebhookFormat = Readonly<{
  service: WebhookService
  language: LanguageCode
  template: string
}>

/** Returns the JSON body of an event. @throws Problem `webhook.template` if the template is not JSON */
export function renderWebhookBody({ service, language, template }: WebhookFormat, kind: WebhookKind, facts: EventFacts): string {
  const shown = (text: string | null | undefined) => escapeText(text ?? '', escapes[service])
  const names = {
    game: shown(facts.game),
    challenge: shown(facts.challenge),
    category: shown(facts.category),
    team: shown(facts.team),
    text: shown(facts.text),
  }
  const values: Readonly<Record<WebhookPlaceholder, string>> = {
    ...names,
    message: fillPlaceholders(serverTexts[language].webhooks[kind], names),
    kind,
    time: facts.occurredAt.toISOString(),
    url: facts.url ?? '',
  }
  let parsed: Json
  try {
    parsed = JSON.parse(template) as Json
  } catch {
    throw new Problem('webhook.template')
  }
  return JSON.stringify(fillAll(parsed, values))
}
