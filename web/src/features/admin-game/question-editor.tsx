import { InputLimits, Limits } from '@capstan/contract/limits'
import { isChoiceQuestion } from '@capstan/contract/question-rules'
import type { EditedQuestion } from '@capstan/contract/questions'
import { questionKinds, questionScopes } from '@capstan/contract/vocabulary'
import { ArchiveRestore, ArrowDown, ArrowUp, X } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { Checkbox, Field } from '../../components/ui/field.tsx'
import { Input, Select, Textarea } from '../../components/ui/input.tsx'

type QuestionEditorProps = Readonly<{
  question: EditedQuestion
  /** Position in the list, starting at 1. */
  number: number
  isLast: boolean
  onChange: (question: EditedQuestion) => void
  onMove: (by: 1 | -1) => void
  onRemove: () => void
}>

export function QuestionEditor({ question, number, isLast, onChange, onMove, onRemove }: QuestionEditorProps) {
  const { t } = useTranslation('admin-game')
  const set = (change: Partial<EditedQuestion>) => onChange({ ...question, ...change })
  return (
    <li className="stack gap-3 box">
      <div className="line start">
        <Field label={t('question.title', { number })}>
          {(control) => (
            <Input
              {...control}
              value={question.title}
              maxLength={InputLimits.maxTitleLength}
              onChange={(event) => set({ title: event.target.value })}
            />
          )}
        </Field>
        <div className="line gap-0">
          <IconButton size="small" label={t('question.up', { number })} disabled={number === 1} onClick={() => onMove(-1)}>
            <ArrowUp />
          </IconButton>
          <IconButton size="small" label={t('question.down', { number })} disabled={isLast} onClick={() => onMove(1)}>
            <ArrowDown />
          </IconButton>
          <IconButton size="small" label={t('question.remove', { number })} onClick={onRemove}>
            <X />
          </IconButton>
        </div>
      </div>
      <div className="pair">
        <Field label={t('question.scope')}>
          {(control) => (
            <Select
              {...control}
              value={question.scope}
              options={questionScopes.map((value) => ({ value, label: t(`question.scopes.${value}`) }))}
              onValueChange={(scope) => set({ scope })}
            />
          )}
        </Field>
        <Field label={t('question.kind')}>
          {(control) => (
            <Select
              {...control}
              value={question.kind}
              options={questionKinds.map((value) => ({ value, label: t(`question.kinds.${value}`) }))}
              onValueChange={(kind) => set({ kind })}
            />
          )}
        </Field>
      </div>
      {isChoiceQuestion(question) && (
        <Field label={t('question.options')}>
          {(control) => (
            <Textarea
              {...control}
              rows={3}
              value={question.options.join('\n')}
              onChange={(event) => set({ options: event.target.value.split('\n') })}
            />
          )}
        </Field>
      )}
      <Field label={t('question.help')} optional>
        {(control) => (
          <Input
            {...control}
            value={question.help}
            maxLength={Limits.maxQuestionHelpLength}
            onChange={(event) => set({ help: event.target.value })}
          />
        )}
      </Field>
      <Checkbox label={t('question.required')} checked={question.required} onCheckedChange={(required) => set({ required })} />
    </li>
  )
}

type ArchivedQuestionProps = Readonly<{
  question: EditedQuestion
  onRestore: () => void
}>

export function ArchivedQuestion({ question, onRestore }: ArchivedQuestionProps) {
  const { t } = useTranslation('admin-game')
  return (
    <li className="row row-between gap-2">
      <span className="muted wrap-anywhere">
        <bdi>{question.title}</bdi>
      </span>
      <Button size="small" onClick={onRestore}>
        <ArchiveRestore aria-hidden />
        {t('question.restore')}
      </Button>
    </li>
  )
}
