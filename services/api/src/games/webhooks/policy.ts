// Decides which events webhooks receive. Rules: docs/contract/webhooks.md.
import { isFrozen } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import { organizerKinds } from '@capstan/contract/vocabulary'
import type { WebhookKind } from '@capstan/contract/webhooks'

/** Kinds of events that show who solved a challenge. A freeze delays them. */
export const solveKinds = ['FirstBlood', 'SecondBlood', 'ThirdBlood', 'Solve'] as const satisfies readonly WebhookKind[]

function isOneOf(kind: WebhookKind, kinds: readonly WebhookKind[]): boolean {
  return kinds.includes(kind)
}

/** @throws Problem `webhook.kinds` if a public webhook has a kind that only organizers may see */
export function assertAllowedWebhookKinds(kinds: readonly WebhookKind[], isForOrganizers: boolean): void {
  if (!isForOrganizers && kinds.some((kind) => isOneOf(kind, organizerKinds))) throw new Problem('webhook.kinds')
}

export type EventState = Readonly<{
  kind: WebhookKind
  isGameHidden: boolean
  /** Challenge of the event. Null if the event has no challenge, or if the challenge was deleted. */
  challenge: Readonly<{ isShown: boolean; isHiddenWhileLocked: boolean }> | null
  hasChallenge: boolean
  isTeamAccepted: boolean
  /** True if the notice, solve or ticket that the event reports still exists. */
  isCurrent: boolean
}>

/**
 * Returns the reason for not sending an event, for example that its challenge is hidden now.
 * @returns undefined if the event should be sent
 */
export function findReasonNotToSendEvent(event: EventState): string | undefined {
  const { kind, challenge } = event
  if (!event.isCurrent) return 'The notice, solve or ticket was removed.'
  if (isOneOf(kind, organizerKinds)) return undefined
  if (event.hasChallenge && !challenge) return 'The challenge was deleted.'
  if (event.isGameHidden) return 'The game is hidden.'
  if (challenge && !challenge.isShown) return 'The challenge is hidden.'
  if (kind === 'ChallengeReleased' && challenge?.isHiddenWhileLocked) return 'The challenge is hidden while it is locked.'
  if (isOneOf(kind, solveKinds) && !event.isTeamAccepted) return 'The team is not accepted in the game.'
  return undefined
}

export type FreezableEvent = Readonly<{
  kind: WebhookKind
  occurredAt: Date
  freezeAt: Date | null
  revealedAt: Date | null
}>

/** True if a freeze hides the event now. */
export function isEventHiddenByFreeze({ kind, occurredAt, freezeAt, revealedAt }: FreezableEvent, now: Date): boolean {
  if (freezeAt === null || !isOneOf(kind, solveKinds)) return false
  return isFrozen(now, { freeze: freezeAt, revealed: revealedAt }) && occurredAt >= freezeAt
}
