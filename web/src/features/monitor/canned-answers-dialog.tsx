import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { CannedAnswer } from '@capstan/contract/tickets'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field, FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { FormDialog } from '../../components/ui/form-dialog.tsx'
import { Input, Textarea } from '../../components/ui/input.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { EmptyState, ErrorState, ErrorText } from '../../components/ui/states.tsx'
import { call } from '../../lib/http.ts'
import { refreshCall, useCall } from '../../lib/server-state.ts'

/** Dialog to add, change and delete canned answers. */
export function CannedAnswersDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation(['tickets', 'common'])
  const { data, error, mutate } = useCall(ownOperations.listCannedAnswers)
  const [edited, setEdited] = useState<CannedAnswer | 'new'>()
  const remove = useAction(async (id: number) => {
    await call(ownOperations.deleteCannedAnswer, { params: { id } })
    await mutate()
  })
  if (edited !== undefined)
    return <CannedAnswerForm answer={edited === 'new' ? undefined : edited} onClose={() => setEdited(undefined)} />
  return (
    <Dialog
      open
      onOpenChange={onClose}
      size="large"
      title={t('desk.canned')}
      description={t('desk.cannedText')}
      footer={
        <Button variant="primary" onClick={() => setEdited('new')}>
          {t('desk.newCanned')}
        </Button>
      }
    >
      {!data && (error ? <ErrorState error={error} onRetry={() => mutate()} /> : <SkeletonLines count={4} />)}
      {data?.length === 0 && <EmptyState title={t('desk.noCanned')} />}
      {remove.error !== undefined && (
        <FieldError>
          <ErrorText error={remove.error} />
        </FieldError>
      )}
      <ul className="stack gap-3">
        {data?.map((answer) => (
          <li key={answer.id} className="row row-between gap-2">
            <span className="grow stack gap-0">
              <b className="wrap-anywhere">{answer.title}</b>
              <span className="small muted truncate">{answer.text}</span>
            </span>
            <Button size="small" aria-label={t('desk.editNamed', { title: answer.title })} onClick={() => setEdited(answer)}>
              {t('desk.edit')}
            </Button>
            <Button
              size="small"
              aria-label={t('desk.deleteNamed', { title: answer.title })}
              busy={remove.busy}
              onClick={() => void remove.run(answer.id)}
            >
              {t('desk.delete')}
            </Button>
          </li>
        ))}
      </ul>
    </Dialog>
  )
}

type CannedAnswerFormProps = Readonly<{
  /** Canned answer that the form edits. Undefined if the form creates a new answer. */
  answer: CannedAnswer | undefined
  onClose: () => void
}>

function CannedAnswerForm({ answer, onClose }: CannedAnswerFormProps) {
  const { t } = useTranslation(['tickets', 'common'])
  const [title, setTitle] = useState(answer?.title ?? '')
  const [text, setText] = useState(answer?.text ?? '')
  const save = useAction(async () => {
    const body = { title, text }
    if (answer) await call(ownOperations.updateCannedAnswer, { params: { id: answer.id }, body })
    else await call(ownOperations.createCannedAnswer, { body })
    await refreshCall(ownOperations.listCannedAnswers)
    onClose()
  })
  return (
    <FormDialog
      keepOpenOutside
      title={answer ? t('desk.editNamed', { title: answer.title }) : t('desk.newCanned')}
      submitLabel={t(answer ? 'common:action.save' : 'common:action.create')}
      busy={save.busy}
      error={save.error}
      onSubmit={save.run}
      onClose={onClose}
    >
      <Field label={t('desk.cannedTitle')}>
        {(control) => (
          <Input
            {...control}
            required
            value={title}
            maxLength={Limits.maxTicketSubjectLength}
            autoComplete="off"
            onChange={(event) => setTitle(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('text')}>
        {(control) => (
          <Textarea
            {...control}
            required
            rows={6}
            value={text}
            maxLength={Limits.maxTicketTextLength}
            onChange={(event) => setText(event.target.value)}
          />
        )}
      </Field>
    </FormDialog>
  )
}
