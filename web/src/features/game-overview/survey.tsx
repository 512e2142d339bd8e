import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { Survey, SurveyAnswer } from '@capstan/contract/surveys'
import { useTranslation } from 'react-i18next'
import { useDraft } from '../../components/editing/use-draft.ts'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Field, FieldError } from '../../components/ui/field.tsx'
import { createSubmitHandler, submitOnCtrlEnter, useAction } from '../../components/ui/form.ts'
import { Textarea } from '../../components/ui/input.tsx'
import { SkeletonLines } from '../../components/ui/skeleton.tsx'
import { ErrorState, ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { setCallData, useCall } from '../../lib/server-state.ts'
import { StarRating } from './star-rating.tsx'

export function SurveyCard({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation('survey')
  const { data, error, mutate } = useCall(ownOperations.getSurvey, { params: { id: gameId } })
  return (
    <Card title={t('title')}>
      {data && <SurveyForm gameId={gameId} survey={data} />}
      {!data && (error ? <ErrorState error={error} onRetry={() => mutate()} /> : <SkeletonLines />)}
    </Card>
  )
}

const noAnswers: Readonly<Record<string, SurveyAnswer>> = {}

/** Form with the answers of a survey. Typed answers survive a reload and a visit to another page. */
function SurveyForm({ gameId, survey }: Readonly<{ gameId: number; survey: Survey }>) {
  const { t } = useTranslation(['survey', 'common'])
  const draft = useDraft(`survey-${gameId}`, { typed: noAnswers })
  const { typed } = draft.value
  const answerFor = (challengeId: number | null): SurveyAnswer =>
    typed[String(challengeId)] ??
    survey.answers.find((answer) => answer.challengeId === challengeId) ?? { challengeId, rating: null, text: '' }
  const change = (answer: SurveyAnswer) => draft.set({ typed: { ...typed, [String(answer.challengeId)]: answer } })
  const save = useAction(async () => {
    const params = { id: gameId }
    const answers = [null, ...survey.challenges.map(({ id }) => id)].map(answerFor)
    const stored = await call(ownOperations.setSurveyAnswers, { params, body: { mode: survey.mode, answers } })
    await setCallData([ownOperations.getSurvey, { params }], stored)
    draft.discard()
    showToast({ tone: 'ok', title: t('survey:saved') })
  })
  return (
    <form className="stack" onSubmit={createSubmitHandler(save.run)}>
      <p className="muted">{t(survey.mode === 'Anonymous' ? 'survey:anonymous' : 'survey:named')}</p>
      <AnswerFields name={t('survey:game')} answer={answerFor(null)} onChange={change} />
      {survey.challenges.length > 0 && (
        <details>
          <summary>{t('survey:challenges')}</summary>
          <ul className="stack gap-6 above-4">
            {survey.challenges.map(({ id, title }) => (
              <li key={id}>
                <AnswerFields name={title} answer={answerFor(id)} onChange={change} />
              </li>
            ))}
          </ul>
        </details>
      )}
      {save.error !== undefined && (
        <FieldError>
          <ErrorText error={save.error} />
        </FieldError>
      )}
      <div>
        <Button type="submit" variant="primary" busy={save.busy} disabled={draft.changedFields.length === 0}>
          {t('common:action.save')}
        </Button>
      </div>
    </form>
  )
}

type AnswerFieldsProps = Readonly<{
  /** Title of the challenge, or a text that means the whole game. */
  name: string
  answer: SurveyAnswer
  onChange: (answer: SurveyAnswer) => void
}>

/** Rating and comment for a challenge or for the whole game. */
function AnswerFields({ name, answer, onChange }: AnswerFieldsProps) {
  const { t } = useTranslation('survey')
  return (
    <div className="stack gap-2">
      <h3 className="wrap-anywhere" dir="auto">
        {name}
      </h3>
      <StarRating
        label={t('rating', { name })}
        value={answer.rating}
        onValueChange={(rating) => onChange({ ...answer, rating })}
      />
      <Field
        label={
          <>
            {t('comment')} <span className="visually-hidden">{name}</span>
          </>
        }
        optional
      >
        {(control) => (
          <Textarea
            {...control}
            rows={2}
            value={answer.text}
            maxLength={Limits.maxSurveyTextLength}
            onKeyDown={submitOnCtrlEnter}
            onChange={(event) => onChange({ ...answer, text: event.target.value })}
          />
        )}
      </Field>
    </div>
  )
}
