import type { FullChallenge } from '@capstan/contract/challenge'
import type { FlagKind } from '@capstan/contract/challenges'
import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Alert } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Field, FieldError } from '../../components/ui/field.tsx'
import { createSubmitHandler, useAction } from '../../components/ui/form.ts'
import { Input } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { call } from '../../lib/http.ts'
import { useReportUnsavedInput } from './unsaved.tsx'
import { useAddFlags } from './use-add-flags.ts'

type AddRuleProps = Readonly<{
  gameId: number
  whole: FullChallenge
  kind: Exclude<FlagKind, 'Exact'>
  flag: string
  onFlagChange: (flag: string) => void
}>

/** Form to add a flag that is a regular expression, or whose case is ignored. */
export function AddFlagRuleForm({ gameId, whole, kind, flag, onFlagChange }: AddRuleProps) {
  const { t } = useTranslation('admin-challenges')
  const [isAdded, setAdded] = useState(false)
  useReportUnsavedInput(flag.trim() !== '')
  const add = useAddFlags(gameId, whole)
  const submit = async () => {
    if (flag.trim() === '' || !(await add.run([{ flag, kind, file: null }]))) return
    onFlagChange('')
    setAdded(true)
  }
  return (
    <form className="stack gap-2" noValidate onSubmit={createSubmitHandler(submit)}>
      <Field label={t('flags.flag')} hint={t(`rules.hint${kind}`)}>
        {(control) => (
          <Input
            {...control}
            className="mono"
            value={flag}
            spellCheck={false}
            autoComplete="off"
            maxLength={kind === 'Pattern' ? Limits.maxFlagPatternLength : Limits.maxFlagLength}
            onChange={(event) => {
              onFlagChange(event.target.value)
              setAdded(false)
              add.reset()
            }}
          />
        )}
      </Field>
      {add.error !== undefined && (
        <FieldError>
          <ErrorText error={add.error} />
        </FieldError>
      )}
      <Alert tone="info">{t('rules.noCheats')}</Alert>
      <div className="row">
        <Button type="submit" variant="primary" busy={add.busy} disabled={flag.trim() === ''}>
          {t('rules.add')}
        </Button>
        <span className="small muted" role="status">
          {isAdded && t('flags.added', { count: 1 })}
        </span>
      </div>
    </form>
  )
}

type TryFlagProps = Readonly<{
  gameId: number
  challengeId: number
  /** Typed flag that is not added yet. */
  draft: Readonly<{ flag: string; kind: FlagKind }> | null
}>

/** Form that tests whether a text would be a correct flag. The server does not store the text as a submission. */
export function FlagAnswerTest({ gameId, challengeId, draft }: TryFlagProps) {
  const { t } = useTranslation('admin-challenges')
  const [answer, setAnswer] = useState('')
  const [result, setResult] = useState<'draft' | 'listed' | 'wrong'>()
  const attempt = useAction(async () => {
    const { matches, draftMatches } = await call(ownOperations.tryFlag, {
      params: { id: gameId, cid: challengeId },
      body: { answer, draft },
    })
    setResult(draftMatches ? 'draft' : matches.length > 0 ? 'listed' : 'wrong')
  })
  return (
    <form
      className="stack gap-2"
      noValidate
      onSubmit={createSubmitHandler(() => (answer.trim() === '' ? undefined : attempt.run()))}
    >
      <Field label={t('rules.answer')} hint={t('rules.tryHint')}>
        {(control) => (
          <Input
            {...control}
            value={answer}
            spellCheck={false}
            autoComplete="off"
            maxLength={Limits.maxFlagLength}
            onChange={(event) => {
              setAnswer(event.target.value)
              setResult(undefined)
              attempt.reset()
            }}
          />
        )}
      </Field>
      {attempt.error !== undefined && (
        <FieldError>
          <ErrorText error={attempt.error} />
        </FieldError>
      )}
      <div aria-live="polite">{result && <Alert tone={result === 'wrong' ? 'warn' : 'ok'}>{t(`rules.${result}`)}</Alert>}</div>
      <div className="row">
        <Button type="submit" busy={attempt.busy} disabled={answer.trim() === ''}>
          {t('rules.submit')}
        </Button>
      </div>
    </form>
  )
}
