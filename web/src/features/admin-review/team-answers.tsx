import { ownOperations } from '@capstan/contract/operations'
import type { Answer, TeamAnswers as Answers, EditedQuestion } from '@capstan/contract/questions'
import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/ui/badge.tsx'
import { DownloadLink } from '../../components/ui/download-link.tsx'
import { NamedValue, NamedValueList } from '../../components/ui/facts.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { addressOfCall } from '../../lib/http.ts'
import { useCall } from '../../lib/server-state.ts'

type TeamAnswersProps = Readonly<{
  gameId: number
  participationId: number
}>

/** Answers of a team and its members to the questions of the registration. Renders nothing if there is no question. */
export function TeamAnswers({ gameId, participationId }: TeamAnswersProps) {
  const { t } = useTranslation('admin-review')
  const { data, error, mutate } = useCall(ownOperations.getTeamAnswers, { params: { id: gameId, pid: participationId } })
  if (!data) return error ? <ErrorState error={error} onRetry={() => mutate()} /> : null
  if (data.questions.length === 0) return null
  return (
    <section className="stack gap-2" aria-label={t('answers.title')}>
      <h3 className="muted small medium">{t('answers.title')}</h3>
      <AnswerList gameId={gameId} questions={questionsOf(data, 'Team')} answers={data.answers} missing={data.missing} />
      {questionsOf(data, 'Member').length > 0 &&
        data.members.map((member) => (
          <div key={member.userId} className="stack gap-1">
            <strong className="small">
              <bdi>{member.userName}</bdi>
            </strong>
            <AnswerList
              gameId={gameId}
              questions={questionsOf(data, 'Member')}
              answers={member.answers}
              missing={member.missing}
            />
          </div>
        ))}
    </section>
  )
}

function questionsOf({ questions }: Answers, scope: EditedQuestion['scope']) {
  return questions.filter((question) => question.scope === scope)
}

type AnswerListProps = Readonly<{
  gameId: number
  questions: readonly EditedQuestion[]
  answers: readonly Answer[]
  missing: readonly string[]
}>

function AnswerList({ gameId, questions, answers, missing }: AnswerListProps) {
  const { t } = useTranslation('admin-review')
  const shown = questions.filter(({ id, archived }) => !archived || answers.some(({ questionId }) => questionId === id))
  if (shown.length === 0) return null
  return (
    <NamedValueList kind="details">
      {shown.map((question) => {
        const answer = answers.find(({ questionId }) => questionId === question.id)
        return (
          <NamedValue key={question.id} name={<bdi>{question.title}</bdi>} className={answer ? undefined : 'faint'}>
            {answer ? (
              <AnswerText gameId={gameId} question={question} answer={answer} />
            ) : missing.includes(question.id) ? (
              <Badge tone="warn">{t('answers.missing')}</Badge>
            ) : (
              t('answers.none')
            )}
          </NamedValue>
        )
      })}
    </NamedValueList>
  )
}

type AnswerTextProps = Readonly<{
  gameId: number
  question: EditedQuestion
  answer: Answer
}>

function AnswerText({ gameId, question, answer: { values, file } }: AnswerTextProps) {
  const { t } = useTranslation('admin-review')
  if (question.kind === 'Consent') return t('answers.yes')
  if (file)
    return (
      <DownloadLink
        className="wrap-anywhere"
        href={addressOfCall(ownOperations.downloadAnswerFile, { params: { id: gameId, fid: file.id } })}
      >
        <bdi>{file.name}</bdi>
      </DownloadLink>
    )
  return <bdi className="wrap-anywhere">{values.join(', ')}</bdi>
}
