import type { LanguageCode } from '@capstan/contract/languages'
import { Limits } from '@capstan/contract/limits'
import { serverTexts } from '@capstan/contract/server-texts'
import { escapeHtml } from '@capstan/http/escape-html'
import { formatUtcTime } from '../../rules/utc-time.ts'
import { createUnsubscribeLinks, type LinkPurpose } from './links.ts'
import type { Mail } from './mailer.ts'

export type LinkMail = Readonly<{
  purpose: LinkPurpose
  language: LanguageCode
  platformName: string
  userName: string
  email: string
  link: string
  now: Date
}>

/** Removes line breaks, because the value of a mail header must be a single line. */
function oneLine(text: string): string {
  return text.replaceAll(/[\r\n\t]+/g, ' ').trim()
}

function page(language: LanguageCode, title: string, content: readonly string[]): string {
  return `<!doctype html>
<html lang="${language}">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>${escapeHtml(title)}</title></head>
<body style="margin:0;padding:24px;background:#f4f5f7;color:#1a1d24;font:16px/1.5 system-ui,sans-serif">
<div style="max-width:560px;margin:0 auto;padding:32px;background:#fff;border-radius:12px">
<h1 style="margin:0 0 16px;font-size:22px">${escapeHtml(title)}</h1>
${content.join('\n')}
</div>
</body>
</html>
`
}

type PlainMail = Readonly<{
  recipient: string
  language: LanguageCode
  platformName: string
}>

type MailButton = Readonly<{
  address: string
  label: string
}>

function buttonHtml({ address, label }: MailButton): string {
  return `<p style="margin:24px 0"><a href="${escapeHtml(address)}" style="display:inline-block;padding:12px 24px;background:#1f5fd6;color:#fff;border-radius:8px;text-decoration:none">${escapeHtml(label)}</a></p>`
}

function renderPlainMail(
  { recipient, language, platformName }: PlainMail,
  title: string,
  paragraph: string,
  button?: MailButton,
): Mail {
  return {
    recipient,
    subject: oneLine(`${platformName} - ${title}`),
    html: page(language, title, [
      `<p>${escapeHtml(paragraph)}</p>`,
      ...(button ? [buttonHtml(button)] : []),
      `<p style="color:#667;font-size:14px">${escapeHtml(platformName)}</p>`,
    ]),
    text: `${[title, '', paragraph, '', ...(button ? [button.address, ''] : []), platformName].join('\n')}\n`,
  }
}

/** Renders a mail whose text has no placeholders, such as the news that an admin removed the user's second factor. */
export function renderMailWithoutPlaceholders(
  notice: 'test' | 'factor-removed' | 'address-changed' | 'provider-linked',
  mail: PlainMail,
): Mail {
  const { title, paragraph } = serverTexts[mail.language].mails[notice]
  return renderPlainMail(mail, title, paragraph)
}

/** Renders a mail about a webhook that the platform switched off. */
export function renderWebhookMail(mail: PlainMail, values: Readonly<{ name: string; reason: string }>): Mail {
  const { title, paragraph } = serverTexts[mail.language].mails.webhook
  const filled = paragraph.replaceAll(/\{(name|reason)\}/g, (_, key: 'name' | 'reason') => values[key])
  return renderPlainMail(mail, title, filled)
}

/** Renders a mail about an answer to a ticket. @param link address of the ticket, if the platform knows its own address */
export function renderTicketMail(
  mail: PlainMail,
  values: Readonly<{ game: string; subject: string }>,
  link: string | undefined,
): Mail {
  const { title, paragraph, button } = serverTexts[mail.language].mails.ticket
  const filled = paragraph.replaceAll(/\{(game|subject)\}/g, (_, key: 'game' | 'subject') => values[key])
  return renderPlainMail(mail, title, filled, link === undefined ? undefined : { address: link, label: button })
}

/** Renders a mail of an organizer to a participant of a game, with a link that stops such mails. */
export function renderGameMail(
  { recipient, language, platformName }: PlainMail,
  { game, subject, text }: Readonly<{ game: string; subject: string; text: string }>,
  { origin, token }: Readonly<{ origin: string; token: string }>,
): Mail {
  const texts = serverTexts[language].mails.game
  const reason = texts.paragraph.replace('{game}', () => game)
  const links = createUnsubscribeLinks(origin, token)
  const note = `<p style="color:#667;font-size:14px">`
  return {
    recipient,
    subject: oneLine(`${game} - ${subject}`),
    html: page(language, subject, [
      `<p style="white-space:pre-wrap">${escapeHtml(text)}</p>`,
      `${note}${escapeHtml(reason)} <a href="${escapeHtml(links.page)}">${escapeHtml(texts.button)}</a></p>`,
      `${note}${escapeHtml(platformName)}</p>`,
    ]),
    text: `${[text, '', '-- ', reason, `${texts.button}: ${links.page}`, '', platformName].join('\n')}\n`,
    unsubscribeUrl: links.call,
  }
}

/**
 * Renders a mail with a link in the language of the request.
 * Rules: docs/contract/sessions-and-accounts.md#mailed-links.
 */
export function renderLinkMail(mail: LinkMail): Mail {
  const texts = serverTexts[mail.language].mails
  const { title, paragraph: template, button } = texts[mail.purpose]
  const paragraph = template.replace('{hours}', String(Limits.mailTokenHours))
  const facts = [
    [texts.name, mail.userName],
    [texts.address, mail.email],
    [texts.time, formatUtcTime(mail.now)],
  ] as const
  const lines = [
    ...[title, '', paragraph, '', mail.link, ''],
    ...facts.map(([label, value]) => `${label}: ${oneLine(value)}`),
    ...['', texts.ignore, '', mail.platformName],
  ]
  const rows = facts.map(
    ([label, value]) =>
      `<tr><td style="padding:2px 16px 2px 0;color:#667">${escapeHtml(label)}</td><td>${escapeHtml(value)}</td></tr>`,
  )
  const html = page(mail.language, title, [
    `<p>${escapeHtml(paragraph)}</p>`,
    buttonHtml({ address: mail.link, label: button }),
    `<table style="font-size:14px">${rows.join('')}</table>`,
    `<p style="color:#667;font-size:14px">${escapeHtml(texts.ignore)}</p>`,
    `<p style="color:#667;font-size:14px">${escapeHtml(mail.platformName)}</p>`,
  ])
  return {
    recipient: mail.email,
    subject: oneLine(`${mail.platformName} - ${title}`),
    html,
    text: `${lines.join('\n')}\n`,
  }
}
