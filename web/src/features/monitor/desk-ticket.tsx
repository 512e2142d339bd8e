import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { hasRole } from '@capstan/contract/roles'
import type { Organizer, TicketChange } from '@capstan/contract/tickets'
import { ArrowLeft } from 'lucide-react'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { TicketMessages } from '../../components/tickets/ticket-messages.tsx'
import { TicketPlaceholder } from '../../components/tickets/ticket-pending.tsx'
import styles from '../../components/tickets/tickets.module.css'
import { useMarkTicketRead } from '../../components/tickets/use-mark-read.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Select } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { call } from '../../lib/http.ts'
import { useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'
import { TicketAnswerForm } from './ticket-answer.tsx'
import { MergeTicketDialog, TicketNoticeDialog } from './ticket-dialogs.tsx'
import { TeamActivityDetails } from './ticket-facts.tsx'

const noAssignee = 'none'

type DeskTicketProps = Readonly<{
  gameId: number
  ticketId: string
  organizers: readonly Organizer[]
  /** Address of the list of tickets. */
  listTo: string
  onChanged: () => Promise<unknown>
  onOpen: (ticketId: string) => void
}>

/** Ticket of a team with its messages, for organizers. */
export function OrganizerTicketThread({ gameId, ticketId, organizers, listTo, onChanged, onOpen }: DeskTicketProps) {
  const { t } = useTranslation('tickets')
  const headingId = useId()
  const { role } = useSession()
  const params = { id: gameId, tid: ticketId }
  const { data, error, mutate } = useCall(ownOperations.getTicket, { params })
  const team = data?.ticket.teamId
  const { data: ofTeam } = useCall(
    ownOperations.findTickets,
    team === undefined ? null : { params: { id: gameId }, query: { view: 'all', team, count: Limits.maxTickets } },
  )
  const [dialog, setDialog] = useState<'merge' | 'notice'>()
  const readAgain = () => Promise.all([mutate(), onChanged()])
  useMarkTicketRead(data?.ticket.isUnread ?? false, data?.messages.length ?? 0, async () => {
    await call(ownOperations.readTicket, { params })
    await readAgain()
  })
  const change = useAction(async (body: TicketChange) => {
    await call(ownOperations.changeTicket, { params, body })
    await readAgain()
  })
  const back = (
    <Link to={listTo} className={`back ${styles.toList}`}>
      <ArrowLeft aria-hidden />
      {t('back')}
    </Link>
  )
  if (!data) return <TicketPlaceholder back={back} error={error} onRetry={() => mutate()} />
  const { ticket, messages, facts } = data
  const others = ofTeam?.data.filter(({ id }) => id !== ticketId) ?? []
  const known = ticket.assignee && !organizers.some(({ id }) => id === ticket.assignee?.id) ? [ticket.assignee] : []
  return (
    <section className="stack" aria-labelledby={headingId}>
      {back}
      <header className="stack gap-2">
        <h2 id={headingId}>{ticket.subject}</h2>
        <span className="row gap-2 small muted">
          <Badge tone={ticket.isClosed ? 'neutral' : 'ok'}>{ticket.isClosed ? t('closed') : t('open')}</Badge>
          <bdi>{ticket.team}</bdi>
          <bdi>{ticket.challengeTitle ?? t('aboutGame')}</bdi>
        </span>
        <div className="row gap-2">
          <Select
            aria-label={t('desk.assignee')}
            value={ticket.assignee?.id ?? noAssignee}
            onValueChange={(id) => void change.run({ assigneeId: id === noAssignee ? null : id })}
            options={[
              { value: noAssignee, label: t('desk.noAssignee') },
              ...[...known, ...organizers].map(({ id, name }) => ({ value: id, label: name })),
            ]}
          />
          <Button size="small" busy={change.busy} onClick={() => void change.run({ isClosed: !ticket.isClosed })}>
            {ticket.isClosed ? t('reopen') : t('close')}
          </Button>
          {others.length > 0 && (
            <Button size="small" onClick={() => setDialog('merge')}>
              {t('desk.merge')}
            </Button>
          )}
          {hasRole(role, 'Admin') && (
            <Button size="small" onClick={() => setDialog('notice')}>
              {t('desk.notice')}
            </Button>
          )}
        </div>
      </header>
      {change.error !== undefined && (
        <FieldError>
          <ErrorText error={change.error} />
        </FieldError>
      )}
      <TicketMessages messages={messages} side="organizers" />
      <TicketAnswerForm
        ticket={ticket}
        onSend={async (text, isClosed) => {
          await call(ownOperations.answerTicket, { params, body: { text, isClosed } })
          await readAgain()
        }}
      />
      {facts && <TeamActivityDetails facts={facts} />}
      {dialog === 'merge' && (
        <MergeTicketDialog
          {...{ gameId, ticket, others }}
          onMerged={(into) => {
            setDialog(undefined)
            onOpen(into)
            void onChanged()
          }}
          onClose={() => setDialog(undefined)}
        />
      )}
      {dialog === 'notice' && (
        <TicketNoticeDialog
          gameId={gameId}
          text={messages.findLast(({ isFromTeam }) => !isFromTeam)?.text ?? ''}
          onClose={() => setDialog(undefined)}
        />
      )}
    </section>
  )
}
