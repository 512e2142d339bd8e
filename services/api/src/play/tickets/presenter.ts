import type { TeamTicket, Ticket, TicketInstance, TicketMessage } from '@capstan/contract/tickets'
import type { ObservedState } from '../../instances/lifecycle/runtime.ts'
import type { FactInstanceRow } from './facts-repository.ts'
import type { MessageRow, TeamTicketRow, TicketRow } from './repository.ts'

function presentHead({ id, subject, challengeId, closedAt, openedAt, updatedAt }: TicketRow['ticket']) {
  return {
    ...{ id, subject, challengeId },
    isClosed: closedAt !== null,
    openedAt: openedAt.getTime(),
    updatedAt: updatedAt.getTime(),
  }
}

/** Returns the fields of a ticket that players may see. The title of a hidden challenge is null. */
export function presentTeamTicket({ ticket, challenge, isUnread }: TeamTicketRow): TeamTicket {
  return { ...presentHead(ticket), challengeTitle: challenge?.isShown ? challenge.title : null, isUnread }
}

export function presentTicket({ ticket, challengeTitle, team, author, assignee, isWaiting, isUnread }: TicketRow): Ticket {
  return {
    ...presentHead(ticket),
    ...{ challengeTitle, teamId: team.id, team: team.name, participationId: ticket.participationId, author },
    ...{ assignee, isWaiting, isUnread },
  }
}

/** Returns a message for organizers. */
export function presentMessage({ author, isFromTeam, text, sentAt }: MessageRow): TicketMessage {
  return { author, isFromTeam, text, sentAt: sentAt.getTime() }
}

/** Returns a message for the team. The team does not see which organizer wrote the message. */
export function presentTeamMessage(row: MessageRow): TicketMessage {
  return { ...presentMessage(row), author: row.isFromTeam ? row.author : null }
}

/** @param seen state that the runtime observes, or undefined if the runtime does not know the instance */
export function presentInstance(row: FactInstanceRow, seen: ObservedState | undefined): TicketInstance {
  const { id, status, startedAt, startedBy, expiresAt, endedAt, reason, reasonCode } = row
  const current = !seen || seen.kind === 'ready' ? undefined : seen
  return {
    ...{ id, status, startedBy },
    startedAt: startedAt.getTime(),
    expiresAt: expiresAt.getTime(),
    endedAt: endedAt?.getTime() ?? null,
    reason: reason ?? current?.message ?? null,
    reasonCode: reason === null ? (current?.reason ?? null) : reasonCode,
  }
}
