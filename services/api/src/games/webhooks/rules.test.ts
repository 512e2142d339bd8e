import { languageCodes } from '@capstan/contract/languages'
import { webhookServices } from '@capstan/contract/vocabulary'
import { defaultTemplates, WebhookKind } from '@capstan/contract/webhooks'
import { describe, expect, test } from 'vitest'
import { classifyDeliveryOutcome, getRetryDelayMs } from './backoff.ts'
import { findReasonNotToSendEvent, isEventHiddenByFreeze } from './policy.ts'
import { createSignatureHeaders } from './signature.ts'
import { renderWebhookBody } from './template.ts'

const now = new Date('2030-01-01T00:00:00Z')
const facts = { game: 'Cup', challenge: 'Knots', category: 'Web', team: 'Owls', text: 'Hello', occurredAt: now }
const english = { service: 'Json', language: 'en-US', template: '{"text":"{message}"}' } as const

describe('signatures', () => {
  test('the signatures equal the example of the Standard Webhooks specification', () => {
    const keys = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA']
    const content = { id: 'msg_p5jXN8AQM9LWM0D4loKWxJek', at: new Date(1614265330_000), body: '{"test": 2432232314}' }
    const headers = createSignatureHeaders(content, keys)
    expect(headers['webhook-id']).toBe(content.id)
    expect(headers['webhook-timestamp']).toBe('1614265330')
    const [first, second, ...rest] = headers['webhook-signature']!.split(' ')
    expect(first).toBe('v1,g0hM9SsE+OTPJTGt/tmIKtSyZlE3uFJELVlNIOLJ1OE=')
    expect([second?.startsWith('v1,'), rest]).toEqual([true, []])
  })
})

describe('bodies', () => {
  test.each(webhookServices)(
    'bodies are JSON for the service %s in each language, even if names contain special characters',
    (service) => {
      for (const language of languageCodes)
        for (const kind of WebhookKind.enum) {
          const format = { service, language, template: defaultTemplates[service] }
          const body = renderWebhookBody(format, kind, {
            ...facts,
            team: '"}\\\n{game}',
            challenge: '</script>\u2028',
            text: '\ud800',
          })
          expect(() => JSON.parse(body)).not.toThrow()
          expect(body).not.toContain('{message}')
        }
    },
  )

  test('in a webhook body, values replace known placeholders, and unknown placeholders remain', () => {
    const template = '{"a":"{team} / {challenge} / {category}","b":["{kind}",1,null,true],"c":{"d":"{time} {url} {nothing}"}}'
    const body = renderWebhookBody({ ...english, template }, 'FirstBlood', { ...facts, url: 'https://ctf.example/games/1' })
    expect(JSON.parse(body)).toEqual({
      a: 'Owls / Knots / Web',
      b: ['FirstBlood', 1, null, true],
      c: { d: '2030-01-01T00:00:00.000Z https://ctf.example/games/1 {nothing}' },
    })
  })

  test('bodies contain a sentence about the event', () => {
    expect(JSON.parse(renderWebhookBody(english, 'FirstBlood', facts)).text).toBe('First blood in Cup: Owls solved Knots')
    expect(JSON.parse(renderWebhookBody({ ...english, language: 'de-DE' }, 'Solve', facts)).text).toBe(
      'Owls hat Knots in Cup gelöst',
    )
  })

  test('placeholders inside names are not replaced', () => {
    expect(JSON.parse(renderWebhookBody(english, 'Solve', { ...facts, team: '{challenge}' })).text).toBe(
      '{challenge} solved Knots in Cup',
    )
  })

  test.each([
    ['Slack', '<!channel> &', '&lt;!channel&gt; &amp;'],
    ['Discord', '[x](http://y) @everyone <@1>', '\\[x\\]\\(http://y\\) @\u200Beveryone \\<@\u200B1\\>'],
    ['Mattermost', '@all *x*', '@\u200Ball \\*x\\*'],
    ['Telegram', '<b> @ada', '<b> @\u200Bada'],
    ['Matrix', '@room', '@\u200Broom'],
    ['Json', '@all <b>', '@all <b>'],
  ] as const)('bodies for %s escape names', (service, team, escaped) => {
    const { text } = JSON.parse(
      renderWebhookBody({ ...english, service, template: '{"text":"{team}"}' }, 'Solve', { ...facts, team }),
    )
    expect(text).toBe(escaped)
  })

  test.each([
    ['Discord', '*', String.raw`\*`, 750],
    ['Slack', '&', '&amp;', 300],
  ] as const)(
    'a long text for %s is cut to at most 1,500 characters, and never inside an escape sequence',
    (service, text, escaped, count) => {
      const format = { ...english, service, template: '{"text":"{text}"}' }
      const body = renderWebhookBody(format, 'Notice', { ...facts, text: text.repeat(2_000) })
      expect(JSON.parse(body).text).toBe(escaped.repeat(count))
    },
  )

  test('a long text in a webhook body is not cut inside an emoji', () => {
    const body = renderWebhookBody({ ...english, template: '{"text":"{text}"}' }, 'Notice', {
      ...facts,
      text: `x${'\u{1F600}'.repeat(800)}`,
    })
    expect(JSON.parse(body).text).toBe(`x${'\u{1F600}'.repeat(749)}`)
  })

  test('a template that is not JSON is refused', () => {
    expect(() => renderWebhookBody({ ...english, template: '{"text":' }, 'Solve', facts)).toThrow('not valid JSON')
  })
})

describe('a delivery attempt of a webhook', () => {
  test.each([
    [200, 'delivered'],
    [204, 'delivered'],
    [302, 'refused'],
    [400, 'refused'],
    [404, 'refused'],
    [408, 'failed'],
    [429, 'failed'],
    [500, 'failed'],
    [503, 'failed'],
    [undefined, 'failed'],
  ])('an attempt with the response status %s counts as %s', (status, verdict) => {
    expect(classifyDeliveryOutcome(status === undefined ? {} : { status })).toBe(verdict)
  })

  test.each([
    [1, undefined, 5],
    [2, undefined, 10],
    [5, undefined, 80],
    [15, undefined, 81_920],
    [16, undefined, 86_400],
    [500, undefined, 86_400],
    [1, '120', 120],
    [4, '3', 40],
    [1, '999999999', 86_400],
    [1, 'Tue, 01 Jan 2030 00:10:00 GMT', 600],
    [1, 'Mon, 31 Dec 2029 00:00:00 GMT', 5],
    [1, 'soon', 5],
  ])(
    'after %s failures, the last with the header Retry-After %s, the next attempt waits %s seconds',
    (failures, retryAfter, seconds) => {
      expect(getRetryDelayMs(failures, { retryAfter }, now) / 1000).toBe(seconds)
    },
  )
})

describe('events', () => {
  const event = {
    kind: 'FirstBlood',
    isGameHidden: false,
    hasChallenge: true,
    challenge: { isShown: true, isHiddenWhileLocked: false },
    isTeamAccepted: true,
    isCurrent: true,
  } as const

  test.each([
    ['a public solve', {}, undefined],
    ['a hidden game', { isGameHidden: true }, 'game is hidden'],
    ['a hidden challenge', { challenge: { isShown: false, isHiddenWhileLocked: false } }, 'challenge is hidden'],
    ['a deleted challenge', { challenge: null }, 'deleted'],
    ['a withdrawn notice', { isCurrent: false }, 'removed'],
    ['a suspended team', { isTeamAccepted: false }, 'not accepted'],
    ['a blood of a hidden locked challenge', { challenge: { isShown: true, isHiddenWhileLocked: true } }, undefined],
    [
      'the release of a hidden locked challenge',
      { kind: 'ChallengeReleased', challenge: { isShown: true, isHiddenWhileLocked: true } },
      'locked',
    ],
    ['a ticket whose challenge was deleted', { kind: 'Ticket', challenge: null }, undefined],
    ['a failed instance of a deleted challenge', { kind: 'InstanceFailed', challenge: null }, undefined],
    ['cheating at a deleted challenge', { kind: 'SuspectedCheating', challenge: null }, undefined],
    ['a removed ticket', { kind: 'Ticket', isCurrent: false }, 'removed'],
    ['cheating in a hidden game', { kind: 'SuspectedCheating', isGameHidden: true, isTeamAccepted: false }, undefined],
  ] as const)('an event about %s is dropped only if players would not see it', (_, change, reason) => {
    const dropped = findReasonNotToSendEvent({ ...event, ...change })
    if (reason === undefined) expect(dropped).toBeUndefined()
    else expect(dropped).toContain(reason)
  })

  test.each([
    ['Solve', 10, 5, null, true],
    ['FirstBlood', 5, 5, null, true],
    ['Solve', 4, 5, null, false],
    ['Solve', 10, null, null, false],
    ['Solve', 10, 5, 15, false],
    ['Solve', 10, 5, 25, true],
    ['Notice', 10, 5, null, false],
  ] as const)(
    'at minute 20, an event of kind %s from minute %s is hidden by a freeze at %s with a reveal at %s: %s',
    (kind, occurred, freeze, reveal, isHidden) => {
      const at = (minute: number | null) => (minute === null ? null : new Date(Date.UTC(2030, 0, 1, 0, minute)))
      const freezable = { kind, occurredAt: at(occurred)!, freezeAt: at(freeze), revealedAt: at(reveal) }
      expect(isEventHiddenByFreeze(freezable, at(20)!)).toBe(isHidden)
    },
  )
})
