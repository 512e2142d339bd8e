import { type Static, Type } from 'typebox'
import { ProxiedConnection } from './captures.ts'
import { ContainerStatus } from './challenges.ts'
import { Id, nullable, nullableInstantMs, nullableInteger, nullableString, Pages, stringEnum, Uuid } from './kit.ts'
import { Limits, notEmpty } from './limits.ts'
import { MonitoredSubmission, monitorFilters } from './monitor.ts'
import { ticketViews } from './vocabulary.ts'

export const TicketView = stringEnum(ticketViews, { description: 'Mine: open tickets that are assigned to the caller.' })
export type TicketView = Static<typeof TicketView>

const instantMs = Type.Integer({ format: 'int64', description: 'In ms since 1970.' })
const text = Type.String({ ...notEmpty, maxLength: Limits.maxTicketTextLength, description: 'Plain text. It is trimmed.' })

const head = {
  id: Uuid,
  subject: Type.String(),
  challengeId: nullableInteger({ format: 'int32', description: 'Null if the ticket concerns the whole game.' }),
  challengeTitle: nullableString(),
  isClosed: Type.Boolean(),
  openedAt: instantMs,
  updatedAt: instantMs,
}

/** Ticket in responses to the team. */
export const TeamTicket = Type.Object(
  {
    ...head,
    isUnread: Type.Boolean({ description: 'True if the organizers have written something that the caller has not read.' }),
  },
  { title: 'TeamTicket' },
)
export type TeamTicket = Static<typeof TeamTicket>

export const TicketMessage = Type.Object(
  {
    author: nullableString({ description: 'User name. Null for a deleted account, and for an organizer if a player reads it.' }),
    isFromTeam: Type.Boolean(),
    text: Type.String(),
    sentAt: instantMs,
  },
  { title: 'TicketMessage' },
)
export type TicketMessage = Static<typeof TicketMessage>

const messages = Type.Array(TicketMessage, { description: 'Oldest first.' })

/** Ticket and its messages, as the team receives them. */
export const TeamTicketThread = Type.Object({ ticket: TeamTicket, messages }, { title: 'TeamTicketThread' })
export type TeamTicketThread = Static<typeof TeamTicketThread>

export const TicketCreate = Type.Object(
  {
    subject: Type.String({ ...notEmpty, maxLength: Limits.maxTicketSubjectLength, description: 'It is trimmed.' }),
    text,
    challengeId: Type.Optional(nullable(Id, { description: 'Challenge that the team can see. Null for the whole game.' })),
  },
  { title: 'TicketCreate' },
)
export type TicketCreate = Static<typeof TicketCreate>

export const TicketReply = Type.Object({ text }, { title: 'TicketReply' })

export const TicketClose = Type.Object({ isClosed: Type.Boolean() }, { title: 'TicketClose' })

const Organizer = Type.Object({ id: Uuid, name: Type.String() }, { title: 'Organizer' })
export type Organizer = Static<typeof Organizer>

/** Ticket in responses to organizers. */
export const Ticket = Type.Object(
  {
    ...head,
    teamId: Id,
    team: Type.String({ description: 'Name of the team.' }),
    participationId: Id,
    author: nullableString({ description: 'User name. Null for a deleted account.' }),
    assignee: nullable(Organizer),
    isWaiting: Type.Boolean({ description: 'True if the newest message is from the team.' }),
    isUnread: Type.Boolean({ description: 'True if the newest message is from the team and the caller has not read it.' }),
  },
  { title: 'Ticket' },
)
export type Ticket = Static<typeof Ticket>

const count = Type.Integer({ format: 'int32' })

export const TicketFilter = Type.Object({
  ...monitorFilters('the subject, a message or the name of the team or the challenge'),
  view: Type.Optional(TicketView),
  count: Type.Optional(Pages.count()),
  skip: Type.Optional(Pages.skip),
})
export type TicketFilter = Static<typeof TicketFilter>

export const TicketPage = Type.Object(
  {
    data: Type.Array(Ticket),
    total: Type.Integer({ format: 'int32', description: 'Tickets on all pages.' }),
    counts: Type.Object(
      { open: count, unassigned: count, mine: count, closed: count, all: count },
      { description: 'Tickets of each view that match the other filters.' },
    ),
    organizers: Type.Array(Organizer, { description: 'Monitors and admins, to whom tickets can be assigned.' }),
  },
  { title: 'TicketPage' },
)
export type TicketPage = Static<typeof TicketPage>

/** Number of tickets with messages that the caller has not read. */
export const UnreadTickets = Type.Object({ count }, { title: 'UnreadTickets' })
export type UnreadTickets = Static<typeof UnreadTickets>

/** Instance of the ticket's team for the ticket's challenge. */
export const TicketInstance = Type.Object(
  {
    id: Uuid,
    status: ContainerStatus,
    startedAt: instantMs,
    startedBy: nullableString({ description: 'User name.' }),
    expiresAt: instantMs,
    endedAt: nullableInstantMs({ description: 'Null while the instance lives.' }),
    reason: nullableString({ description: 'Why the instance failed, as an English sentence.' }),
    reasonCode: nullableString({ description: 'The reason as one PascalCase word; null if it is unknown.' }),
  },
  { title: 'TicketInstance' },
)
export type TicketInstance = Static<typeof TicketInstance>

/** Data that a ticket shows about its team and its challenge: instances, connections and submissions, each list newest first. */
export const TicketFacts = Type.Object(
  {
    instances: Type.Array(TicketInstance),
    connections: Type.Array(ProxiedConnection),
    attempts: Type.Array(MonitoredSubmission),
  },
  { title: 'TicketFacts' },
)
export type TicketFacts = Static<typeof TicketFacts>

/** Ticket and its messages, as organizers receive them. */
export const TicketThread = Type.Object(
  { ticket: Ticket, messages, facts: nullable(TicketFacts, { description: 'Null if the ticket concerns the whole game.' }) },
  { title: 'TicketThread' },
)
export type TicketThread = Static<typeof TicketThread>

export const TicketAnswer = Type.Object(
  { text, isClosed: Type.Optional(Type.Boolean({ default: false, description: 'True to close the ticket with the answer.' })) },
  { title: 'TicketAnswer' },
)
export type TicketAnswer = Static<typeof TicketAnswer>

export const TicketChange = Type.Object(
  {
    isClosed: Type.Optional(Type.Boolean({ description: 'Absent: unchanged.' })),
    assigneeId: Type.Optional(nullable(Uuid, { description: 'A monitor or an admin. Null: none. Absent: unchanged.' })),
  },
  { title: 'TicketChange' },
)
export type TicketChange = Static<typeof TicketChange>

export const TicketMerge = Type.Object({ into: Uuid }, { title: 'TicketMerge' })

/** Text that organizers can insert into answers to tickets. */
export const CannedAnswer = Type.Object({ id: Id, title: Type.String(), text: Type.String() }, { title: 'CannedAnswer' })
export type CannedAnswer = Static<typeof CannedAnswer>

export const CannedAnswerWrite = Type.Object(
  { title: Type.String({ ...notEmpty, maxLength: Limits.maxTicketSubjectLength }), text },
  { title: 'CannedAnswerWrite' },
)
export type CannedAnswerWrite = Static<typeof CannedAnswerWrite>
