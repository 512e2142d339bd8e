import { Limits } from '@capstan/contract/limits'
import type { EditedQuestion } from '@capstan/contract/questions'
import { Plus } from 'lucide-react'
import { type ReactNode, useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { FieldError } from '../../components/ui/field.tsx'
import { createUuid } from '../../lib/uuid.ts'
import { ArchivedQuestion, QuestionEditor } from './question-editor.tsx'
import { addQuestion, moveQuestion, restoreQuestion } from './question-form.ts'

type QuestionsCardProps = Readonly<{
  questions: readonly EditedQuestion[]
  error: ReactNode
  onChange: (questions: readonly EditedQuestion[]) => void
}>

/** Questions of the registration. A removed question with answers is archived on the server. */
export function QuestionsCard({ questions, error, onChange }: QuestionsCardProps) {
  const { t } = useTranslation('admin-game')
  const list = useRef<HTMLOListElement>(null)
  const add = useRef<HTMLButtonElement>(null)
  const done = useRef<'added' | 'removed'>(undefined)
  const active = questions.filter(({ archived }) => !archived)
  const archived = questions.filter((question) => question.archived)
  // Focus a new question. After a removal, keep the focus in the card, because the removed question had the focus.
  // biome-ignore lint/correctness/useExhaustiveDependencies: runs when the number of questions changes
  useEffect(() => {
    if (done.current === 'added') list.current?.lastElementChild?.querySelector('input')?.focus()
    if (done.current === 'removed') add.current?.focus()
    done.current = undefined
  }, [active.length])
  const replace = (id: string, changed: EditedQuestion) =>
    onChange(questions.map((question) => (question.id === id ? changed : question)))
  return (
    <Card id="questions" title={t('card.questions')}>
      <div className="stack gap-3">
        <p className="small muted">{t('question.hint')}</p>
        {active.length > 0 && (
          <ol ref={list} className="stack">
            {active.map((question, index) => (
              <QuestionEditor
                key={question.id}
                question={question}
                number={index + 1}
                isLast={index === active.length - 1}
                onChange={(changed) => replace(question.id, changed)}
                onMove={(by) => onChange(moveQuestion(questions, question.id, by))}
                onRemove={() => {
                  done.current = 'removed'
                  onChange(questions.filter(({ id }) => id !== question.id))
                }}
              />
            ))}
          </ol>
        )}
        <FieldError>{error}</FieldError>
        <div className="row">
          <Button
            ref={add}
            size="small"
            disabled={questions.length >= Limits.maxQuestions}
            onClick={() => {
              done.current = 'added'
              onChange(addQuestion(questions, createUuid()))
            }}
          >
            <Plus aria-hidden />
            {t('question.add')}
          </Button>
        </div>
        {archived.length > 0 && (
          <section className="stack gap-2" aria-label={t('question.archived')}>
            <h3 className="muted small medium">{t('question.archived')}</h3>
            <p className="small muted">{t('question.archivedHint')}</p>
            <ul className="stack gap-2">
              {archived.map((question) => (
                <ArchivedQuestion
                  key={question.id}
                  question={question}
                  onRestore={() => onChange(restoreQuestion(questions, question.id))}
                />
              ))}
            </ul>
          </section>
        )}
      </div>
    </Card>
  )
}
