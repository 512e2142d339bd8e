import { operations, ownOperations } from '@capstan/contract/operations'
import { canCallerAnswer } from '@capstan/contract/question-rules'
import type { RegistrationForm } from '@capstan/contract/questions'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Alert } from '../../components/ui/badge.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { useAction } from '../../components/ui/form.ts'
import { FormDialog } from '../../components/ui/form-dialog.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refreshCall, setCallData, useCall } from '../../lib/server-state.ts'
import { type AnswerDraft, findAnswerFaults, listChangedAnswers, toAnswerDraft } from './answer-draft.ts'
import { AnswerFields } from './answer-fields.tsx'

type AnswersDialogProps = Readonly<{
  gameId: number
  onClose: () => void
}>

/** Dialog in which a player who has joined can see, add and change answers. */
export function AnswersDialog({ gameId, onClose }: AnswersDialogProps) {
  const { t } = useTranslation('joining')
  const { data: form, error, mutate } = useCall(ownOperations.getRegistrationForm, { params: { id: gameId } })
  if (form) return <AnswersForm gameId={gameId} form={form} onClose={onClose} />
  return (
    <Dialog open onOpenChange={onClose} title={t('questions.title')} description={t('questions.text')}>
      {error ? <ErrorState error={error} onRetry={() => mutate()} /> : <SkeletonLines />}
    </Dialog>
  )
}

function AnswersForm({ gameId, form, onClose }: AnswersDialogProps & { readonly form: RegistrationForm }) {
  const { t } = useTranslation(['joining', 'common'])
  const [sent, setSent] = useState(false)
  const [typed, setTyped] = useState<AnswerDraft>({})
  const draft = { ...toAnswerDraft(form.answers), ...typed }
  const questions = form.questions.filter((question) => canCallerAnswer(question, form.isCaptain))
  const faults = findAnswerFaults(questions, draft)
  const params = { id: gameId }
  const save = useAction(async () => {
    const body = { answers: listChangedAnswers(questions, typed) }
    const stored = await call(ownOperations.setAnswers, { params, body })
    await setCallData([ownOperations.getRegistrationForm, { params }], stored)
    await refreshCall(operations.getGame, { params })
    showToast({ tone: 'ok', title: t('joining:questions.saved') })
    onClose()
  })
  const submit = () => {
    setSent(true)
    return Object.keys(faults).length > 0 ? undefined : save.run()
  }
  return (
    <FormDialog
      keepOpenOutside
      title={t('joining:questions.title')}
      description={t('joining:questions.text')}
      submitLabel={t('common:action.save')}
      busy={save.busy}
      noValidate
      onSubmit={submit}
      onClose={onClose}
    >
      {!form.isOpen && <Alert>{t('joining:questions.closed')}</Alert>}
      <AnswerFields
        gameId={gameId}
        questions={questions}
        draft={draft}
        faults={sent ? faults : {}}
        onChange={(changed) => setTyped((known) => ({ ...known, ...changed }))}
      />
      {toFormRefusal(save.error, []).rest}
    </FormDialog>
  )
}
