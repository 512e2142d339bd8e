import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { ArrowLeft } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { useDraft } from '../../components/editing/use-draft.ts'
import { TicketMessages } from '../../components/tickets/ticket-messages.tsx'
import { TicketPlaceholder } from '../../components/tickets/ticket-pending.tsx'
import styles from '../../components/tickets/tickets.module.css'
import { useMarkTicketRead } from '../../components/tickets/use-mark-read.ts'
import { Badge } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Field, FieldError } from '../../components/ui/field.tsx'
import { createSubmitHandler, submitOnCtrlEnter, useAction } from '../../components/ui/form.ts'
import { Textarea } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { refreshCall, setCallData, useCall } from '../../lib/server-state.ts'

type TeamTicketProps = Readonly<{
  gameId: number
  ticketId: string
}>

/** Messages of a ticket, and a form for a reply. The typed reply survives a reload and a visit to another page. */
export function TeamTicketThread({ gameId, ticketId }: TeamTicketProps) {
  const { t } = useTranslation(['tickets', 'common'])
  const headingId = useId()
  const params = { id: gameId, tid: ticketId }
  const { data, error, mutate } = useCall(ownOperations.getTeamTicket, { params })
  const draft = useDraft(`ticket-reply-${ticketId}`, { text: '' })
  const { text } = draft.value
  const listAgain = () =>
    Promise.all([
      refreshCall(ownOperations.listTeamTickets, { params: { id: gameId } }),
      refreshCall(ownOperations.countUnreadTeamTickets, { params: { id: gameId } }),
    ])
  useMarkTicketRead(data?.ticket.isUnread ?? false, data?.messages.length ?? 0, async () => {
    await call(ownOperations.readTeamTicket, { params })
    await Promise.all([mutate(), listAgain()])
  })
  const reply = useAction(async () => {
    const thread = await call(ownOperations.replyToTicket, { params, body: { text } })
    draft.discard()
    await setCallData([ownOperations.getTeamTicket, { params }], thread)
    await listAgain()
  })
  const close = useAction(async (isClosed: boolean) => {
    await call(ownOperations.closeTeamTicket, { params, body: { isClosed } })
    await Promise.all([mutate(), listAgain()])
  })
  const back = (
    <Link to={paths.tickets.to(gameId)} className={`back ${styles.toList}`}>
      <ArrowLeft aria-hidden />
      {t('back')}
    </Link>
  )
  if (!data) return <TicketPlaceholder back={back} error={error} onRetry={() => mutate()} />
  const { ticket, messages } = data
  return (
    <section className="stack" aria-labelledby={headingId}>
      {back}
      <header className="row row-between">
        <div className="stack gap-1">
          <h2 id={headingId}>{ticket.subject}</h2>
          <span className="row gap-2 small muted">
            <Badge tone={ticket.isClosed ? 'neutral' : 'ok'}>{ticket.isClosed ? t('closed') : t('open')}</Badge>
            {ticket.challengeId !== null && ticket.challengeTitle !== null && (
              <Link to={paths.challenges.to(gameId, ticket.challengeId)}>
                <bdi>{ticket.challengeTitle}</bdi>
              </Link>
            )}
          </span>
        </div>
        <Button size="small" busy={close.busy} onClick={() => void close.run(!ticket.isClosed)}>
          {ticket.isClosed ? t('reopen') : t('close')}
        </Button>
      </header>
      {close.error !== undefined && (
        <FieldError>
          <ErrorText error={close.error} />
        </FieldError>
      )}
      <TicketMessages messages={messages} side="team" />
      <form className="stack gap-3" onSubmit={createSubmitHandler(reply.run)}>
        <Field label={t('reply')} hint={ticket.isClosed ? t('replyOpens') : undefined}>
          {(control) => (
            <Textarea
              {...control}
              required
              rows={4}
              value={text}
              maxLength={Limits.maxTicketTextLength}
              onKeyDown={submitOnCtrlEnter}
              onChange={(event) => draft.set({ text: event.target.value })}
            />
          )}
        </Field>
        {reply.error !== undefined && (
          <FieldError>
            <ErrorText error={reply.error} />
          </FieldError>
        )}
        <div className="row">
          <Button type="submit" variant="primary" busy={reply.busy}>
            {t('send')}
          </Button>
        </div>
      </form>
    </section>
  )
}
