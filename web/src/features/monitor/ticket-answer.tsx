import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { Ticket } from '@capstan/contract/tickets'
import { useTranslation } from 'react-i18next'
import { useDraft } from '../../components/editing/use-draft.ts'
import { Button } from '../../components/ui/button.tsx'
import { Field, FieldError } from '../../components/ui/field.tsx'
import { createSubmitHandler, submitOnCtrlEnter, useAction } from '../../components/ui/form.ts'
import { Select, Textarea } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refreshCall, useCall } from '../../lib/server-state.ts'

type TicketAnswerProps = Readonly<{
  ticket: Ticket
  onSend: (text: string, isClosed: boolean) => Promise<unknown>
}>

/**
 * Form for an answer to a ticket. Users can insert canned answers into the text. The text survives a reload and a visit to another
 * page.
 */
export function TicketAnswerForm({ ticket, onSend }: TicketAnswerProps) {
  const { t } = useTranslation('tickets')
  const draft = useDraft(`ticket-answer-${ticket.id}`, { text: '' })
  const { text } = draft.value
  const isEmpty = text.trim() === ''
  const { data: canned } = useCall(ownOperations.listCannedAnswers)
  const send = useAction(async (isClosed: boolean) => {
    await onSend(text, isClosed)
    draft.discard()
  })
  const save = useAction(async () => {
    const title = text.trim().split('\n', 1)[0]?.slice(0, Limits.maxTicketSubjectLength) ?? ''
    await call(ownOperations.createCannedAnswer, { body: { title, text } })
    await refreshCall(ownOperations.listCannedAnswers)
    showToast({ tone: 'ok', title: t('desk.cannedSaved') })
  })
  const insert = (id: string) => {
    const found = canned?.find((answer) => String(answer.id) === id)
    if (found) draft.set({ text: isEmpty ? found.text : `${text.trimEnd()}\n\n${found.text}` })
  }
  const error = send.error ?? save.error
  return (
    <form className="stack gap-3" onSubmit={createSubmitHandler(() => send.run(false))}>
      {canned && canned.length > 0 && (
        <Select
          aria-label={t('desk.insertCanned')}
          placeholder={t('desk.insertCanned')}
          value=""
          onValueChange={insert}
          options={canned.map(({ id, title }) => ({ value: String(id), label: title }))}
        />
      )}
      <Field label={t('desk.answer')} hint={ticket.isClosed ? t('desk.answerClosed') : undefined}>
        {(control) => (
          <Textarea
            {...control}
            required
            rows={5}
            value={text}
            maxLength={Limits.maxTicketTextLength}
            onKeyDown={submitOnCtrlEnter}
            onChange={(event) => draft.set({ text: event.target.value })}
          />
        )}
      </Field>
      {error !== undefined && (
        <FieldError>
          <ErrorText error={error} />
        </FieldError>
      )}
      <div className="row gap-2">
        <Button type="submit" variant="primary" busy={send.busy}>
          {t('send')}
        </Button>
        {!ticket.isClosed && (
          <Button disabled={isEmpty} busy={send.busy} onClick={() => void send.run(true)}>
            {t('desk.sendAndClose')}
          </Button>
        )}
        <Button variant="ghost" disabled={isEmpty} busy={save.busy} onClick={() => void save.run()}>
          {t('desk.saveCanned')}
        </Button>
      </div>
    </form>
  )
}
