import { InputLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { Ticket } from '@capstan/contract/tickets'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Field } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { FormDialog } from '../../components/ui/form-dialog.tsx'
import { Select, Textarea } from '../../components/ui/input.tsx'
import { showToast } from '../../components/ui/toast.ts'
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
export function MergeTicketDialog({ gameId, ticket, others, onMerged, onClose }: MergeDialogProps) {
  const { t } = useTranslation(['tickets', 'common'])
  const [into, setInto] = useState(others[0]?.id ?? '')
  const merge = useAction(async () => {
    await call(ownOperations.mergeTicket, { params: { id: gameId, tid: ticket.id }, body: { into } })
    onMerged(into)
  })
  return (
    <FormDialog
      title={t('desk.mergeTitle', { subject: ticket.subject })}
      description={t('desk.mergeText')}
      submitLabel={t('desk.merge')}
      busy={merge.busy}
      error={merge.error}
      onSubmit={merge.run}
      onClose={onClose}
    >
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
    </FormDialog>
  )
}

type NoticeDialogProps = Readonly<{
  gameId: number
  /** Text of the newest answer. The text of the notice starts with this value. */
  text: string
  onClose: () => void
}>

/** Dialog to publish an answer as a notice for all teams. */
export function TicketNoticeDialog({ gameId, text: answer, onClose }: NoticeDialogProps) {
  const { t } = useTranslation(['tickets', 'common'])
  const [content, setContent] = useState(answer)
  const publish = useAction(async () => {
    await call(operations.addNotice, { params: { id: gameId }, body: { content } })
    showToast({ tone: 'ok', title: t('desk.noticePublished') })
    onClose()
  })
  return (
    <FormDialog
      keepOpenOutside
      title={t('desk.notice')}
      description={t('desk.noticeText')}
      submitLabel={t('desk.publish')}
      busy={publish.busy}
      error={publish.error}
      onSubmit={publish.run}
      onClose={onClose}
    >
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
    </FormDialog>
  )
}
