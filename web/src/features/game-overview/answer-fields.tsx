import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { consentGiven } from '@capstan/contract/question-rules'
import type { Question, RegistrationForm } from '@capstan/contract/questions'
import { FileText, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../components/ui/button.tsx'
import { DownloadLink } from '../../components/ui/download-link.tsx'
import { Checkbox, Field, FieldError } from '../../components/ui/field.tsx'
import { FileDrop } from '../../components/ui/file-drop.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Input, Select, Textarea } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { formatBytes } from '../../lib/format.ts'
import { addressOfCall, upload } from '../../lib/http.ts'
import { type AnswerDraft, type TypedAnswer, typedAnswerOf } from './answer-draft.ts'

type AnswerFieldsProps = Readonly<{
  gameId: number
  questions: RegistrationForm['questions']
  draft: AnswerDraft
  /** Reasons why answers are refused, by the id of the question. */
  faults: Readonly<Record<string, 'required' | 'invalid'>>
  /** Receives each answer that the player types, together with the id of the question. */
  onChange: (typed: AnswerDraft) => void
}>

/** Questions of the registration with their inputs: first about the team, then about the player. */
export function AnswerFields({ gameId, questions, draft, faults, onChange }: AnswerFieldsProps) {
  const { t } = useTranslation('joining')
  return (['Team', 'Member'] as const).map((scope) => {
    const asked = questions.filter((question) => question.scope === scope)
    if (asked.length === 0) return null
    return (
      <fieldset key={scope} className="stack">
        <legend>{t(`questions.of${scope}`)}</legend>
        {asked.map((question) => (
          <AnswerField
            key={question.id}
            gameId={gameId}
            question={question}
            answer={typedAnswerOf(draft, question)}
            fault={faults[question.id]}
            onChange={(answer) => onChange({ [question.id]: answer })}
          />
        ))}
      </fieldset>
    )
  })
}

type AnswerFieldProps = Readonly<{
  gameId: number
  question: Question
  answer: TypedAnswer
  fault: 'required' | 'invalid' | undefined
  onChange: (answer: TypedAnswer) => void
}>

function AnswerField({ gameId, question, answer, fault, onChange }: AnswerFieldProps) {
  const { t } = useTranslation('joining')
  const { kind, title, help, required, options } = question
  const error = fault && t(`questions.${fault}`)
  const [value = ''] = answer.values
  const type = (text: string) => onChange({ ...answer, values: text === '' ? [] : [text] })
  const common = { label: <bdi>{title}</bdi>, hint: help, error, optional: !required }
  switch (kind) {
    case 'ShortText':
      return (
        <Field {...common}>
          {(control) => (
            <Input
              {...control}
              value={value}
              maxLength={Limits.maxShortAnswerLength}
              onChange={(event) => type(event.target.value)}
            />
          )}
        </Field>
      )
    case 'LongText':
      return (
        <Field {...common}>
          {(control) => (
            <Textarea
              {...control}
              rows={4}
              value={value}
              maxLength={Limits.maxLongAnswerLength}
              onChange={(event) => type(event.target.value)}
            />
          )}
        </Field>
      )
    case 'Choice':
      return (
        <Field {...common}>
          {(control) => (
            <Select
              {...control}
              value={options.includes(value) ? value : ''}
              {...(required && { placeholder: t('questions.choose') })}
              options={[
                ...(required ? [] : [{ value: '', label: t('questions.none') }]),
                ...options.map((option) => ({ value: option, label: option })),
              ]}
              onValueChange={type}
            />
          )}
        </Field>
      )
    case 'Choices':
      return (
        <GroupField {...common}>
          {options.map((option) => (
            <Checkbox
              key={option}
              label={<bdi>{option}</bdi>}
              checked={answer.values.includes(option)}
              onCheckedChange={(isOn) =>
                onChange({ ...answer, values: [...answer.values.filter((each) => each !== option), ...(isOn ? [option] : [])] })
              }
            />
          ))}
        </GroupField>
      )
    case 'Consent':
      return (
        <div className="stack gap-1">
          <Checkbox
            label={<bdi>{title}</bdi>}
            hint={help}
            checked={value === consentGiven}
            onCheckedChange={(isOn) => type(isOn ? consentGiven : '')}
          />
          <FieldError>{error}</FieldError>
        </div>
      )
    case 'File':
      return (
        <GroupField {...common}>
          <AnswerFileField gameId={gameId} title={title} answer={answer} onChange={onChange} />
        </GroupField>
      )
  }
}

type GroupFieldProps = Readonly<{
  label: ReactNode
  hint: string
  error: string | undefined
  optional: boolean
  children: ReactNode
}>

/** Question whose answer has several inputs. */
function GroupField({ label, hint, error, optional, children }: GroupFieldProps) {
  const { t } = useTranslation()
  return (
    <fieldset className="stack gap-2">
      <legend>
        {label} {optional && <span className="faint">{t('field.optional')}</span>}
      </legend>
      {hint && <p className="small muted">{hint}</p>}
      {children}
      <FieldError>{error}</FieldError>
    </fieldset>
  )
}

type AnswerFileFieldProps = Readonly<{
  gameId: number
  title: string
  answer: TypedAnswer
  onChange: (answer: TypedAnswer) => void
}>

function AnswerFileField({ gameId, title, answer, onChange }: AnswerFileFieldProps) {
  const { t } = useTranslation('joining')
  const send = useAction(async (file: File) => {
    if (file.size > Limits.maxAnswerFileBytes) throw new Error(t('questions.tooLarge'))
    const stored = await upload(ownOperations.uploadAnswerFile, { params: { id: gameId }, files: [file] })
    onChange({ ...answer, file: stored })
  })
  const { file } = answer
  if (!file)
    return (
      <FileDrop
        label={send.busy ? t('questions.uploading') : t('questions.drop')}
        hint={t('questions.fileHint')}
        disabled={send.busy}
        error={send.error === undefined ? undefined : <ErrorText error={send.error} />}
        onFiles={([chosen]) => void (chosen && send.run(chosen))}
      />
    )
  const address = addressOfCall(ownOperations.downloadAnswerFile, { params: { id: gameId, fid: file.id } })
  return (
    <div className="row gap-2">
      <FileText size={16} aria-hidden />
      <DownloadLink href={address} className="wrap-anywhere">
        <bdi>{file.name}</bdi>
      </DownloadLink>
      <span className="faint small">{formatBytes(file.sizeBytes)}</span>
      <IconButton size="small" label={t('questions.removeFile', { title })} onClick={() => onChange({ ...answer, file: null })}>
        <X />
      </IconButton>
    </div>
  )
}
