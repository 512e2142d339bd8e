import { InputLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { Ticket } from '@capstan/contract/tickets'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field, FieldError } from '../../components/ui/field.tsx'
import { onSubmit, useAction } from '../../components/ui/form.ts'
import { Select, Textarea } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { toast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'

type MergeDialogProps = Readonly<{
  gameId: number
  ticket: Ticket
  /** Other tickets of the team. */
  others: readonly Ticket[]
  onMerged: (into: string) => void
  onClose: () => void
}>

/** Dialog to move the messages of a ticket into another ticket of its team. */
export function MergeDialog({ gameId, ticket, others, onMerged, onClose }: MergeDialogProps) {
  const { t } = useTranslation(['tickets', 'common'])
  const formId = useId()
  const [into, setInto] = useState(others[0]?.id ?? '')
  const merge = useAction(async () => {
    await call(ownOperations.mergeTicket, { params: { id: gameId, tid: ticket.id }, body: { into } })
    onMerged(into)
  })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      title={t('desk.mergeTitle', { subject: ticket.subject })}
      description={t('desk.mergeText')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={merge.busy}>
            {t('desk.merge')}
          </Button>
        </>
      }
    >
      <form id={formId} className="stack" onSubmit={onSubmit(merge.run)}>
        <Field label={t('desk.mergeInto')}>
          {(control) => (
            <Select
              {...control}
              value={into}
              onValueChange={setInto}
              options={others.map(({ id, subject, isClosed }) => ({
                value: id,
                label: isClosed ? `${subject} (${t('closed')})` : subject,
              }))}
            />
          )}
        </Field>
        {merge.error !== undefined && (
          <FieldError>
            <ErrorText error={merge.error} />
          </FieldError>
        )}
      </form>
    </Dialog>
  )
}

type NoticeDialogProps = Readonly<{
  gameId: number
  /** Text of the newest answer, to start from. */
  text: string
  onClose: () => void
}>

/** Dialog to publish an answer as a notice for all teams. */
export function TicketNoticeDialog({ gameId, text: answer, onClose }: NoticeDialogProps) {
  const { t } = useTranslation(['tickets', 'common'])
  const formId = useId()
  const [content, setContent] = useState(answer)
  const publish = useAction(async () => {
    await call(operations.addNotice, { params: { id: gameId }, body: { content } })
    toast({ tone: 'ok', title: t('desk.noticePublished') })
    onClose()
  })
  return (
    <Dialog
      open
      onOpenChange={onClose}
      keepOpenOutside
      title={t('desk.notice')}
      description={t('desk.noticeText')}
      footer={
        <>
          <Button onClick={onClose}>{t('common:action.cancel')}</Button>
          <Button type="submit" form={formId} variant="primary" busy={publish.busy}>
            {t('desk.publish')}
          </Button>
        </>
      }
    >
      <form id={formId} className="stack" onSubmit={onSubmit(publish.run)}>
        <Field label={t('text')}>
          {(control) => (
            <Textarea
              {...control}
              required
              rows={6}
              value={content}
              maxLength={InputLimits.maxShortTextLength}
              onChange={(event) => setContent(event.target.value)}
            />
          )}
        </Field>
        {publish.error !== undefined && (
          <FieldError>
            <ErrorText error={publish.error} />
          </FieldError>
        )}
      </form>
    </Dialog>
  )
}
