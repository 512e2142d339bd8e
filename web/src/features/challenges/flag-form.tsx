import { Limits } from '@capstan/contract/limits'
import type { FoundFlag } from '@capstan/contract/submissions'
import { CircleAlert, CircleCheck, CornerDownLeft } from 'lucide-react'
import { type ClipboardEvent, type ReactNode, type RefObject, useEffect, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useLocation } from 'react-router'
import { Button, ButtonLink } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { createSubmitHandler } from '../../components/ui/form.ts'
import { Input } from '../../components/ui/input.tsx'
import { ErrorText, useRetryWait } from '../../components/ui/states.tsx'
import { useNow } from '../../components/ui/time.tsx'
import type { FlagAnswer, RightGain } from '../../lib/flag-answer.ts'
import { formatDateTime } from '../../lib/format.ts'
import { ApiError } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import styles from './dialog.module.css'

export type FlagFormProps = Readonly<{
  value: string
  onValueChange: (value: string) => void
  answer: FlagAnswer
  /** True after the end of the game. Flags are then judged but score no points. */
  isOver: boolean
  /**
   * Deadline of the challenge, in ms since 1970. The server refuses submissions after the deadline. Null if there is no deadline.
   */
  deadline?: number | null
  /** Number of attempts left. Undefined if there is no limit. */
  attemptsLeft?: number | undefined
  /** End of the team's cooldown, in ms since 1970. Null if there is none. */
  nextAttemptAt?: number | null
  /** True if the submit button is the primary action. */
  isPrimary?: boolean
  /** Input for the flag. It retains the focus while results are shown. */
  input: RefObject<HTMLInputElement | null>
  /** Opens the next (1) or previous (-1) challenge if an arrow key is pressed in the empty field. */
  onStep?: (by: 1 | -1) => void
  onSubmit: (flag: string) => void
}>

export function FlagForm({
  value,
  onValueChange,
  answer,
  isOver,
  deadline = null,
  attemptsLeft,
  nextAttemptAt = null,
  isPrimary = true,
  input,
  onStep,
  onSubmit: submit,
}: FlagFormProps) {
  const { t } = useTranslation(['challenges', 'common'])
  const id = useId()
  const [wasTrimmed, setWasTrimmed] = useState(false)
  const refusedWait = useRetryWait(answer.kind === 'refused' ? answer.error : undefined)
  const now = useNow(1000, nextAttemptAt !== null || deadline !== null)
  const wait = Math.max(refusedWait, nextAttemptAt === null ? 0 : Math.ceil((nextAttemptAt - now) / 1_000))
  const isUsedUp = attemptsLeft === 0
  const isClosed = deadline !== null && now >= deadline
  const isBusy = answer.kind === 'sending'
  const isBad = answer.kind === 'wrong' || answer.kind === 'invalid' || answer.kind === 'expired'

  // A wrong flag is often a typo, so the text is retained and selected.
  useEffect(() => {
    if (answer.kind === 'wrong') input.current?.select()
  }, [answer, input])

  const paste = (event: ClipboardEvent<HTMLInputElement>) => {
    const pasted = event.clipboardData.getData('text/plain')
    const flag = pasted.trim()
    setWasTrimmed(flag !== pasted)
    event.preventDefault()
    const field = event.currentTarget
    const line = flag
      .split('\n')
      .map((part) => part.trim())
      .join('')
    field.setRangeText(line, field.selectionStart ?? 0, field.selectionEnd ?? 0, 'end')
    onValueChange(field.value)
  }

  return (
    <form
      className={styles.flag}
      data-draft
      onSubmit={createSubmitHandler(() => {
        if (wait <= 0 && !isUsedUp && !isClosed && !isBusy) submit(input.current?.value ?? value)
        input.current?.focus()
      })}
    >
      <label htmlFor={id} className={cx('muted small medium', styles.label)}>
        {t('challenges:flag.label')}
      </label>
      <div className={cx('line gap-2', styles.flagRow)} data-answer={answer.kind}>
        <Input
          id={id}
          ref={input}
          value={value}
          className="mono"
          placeholder={t('challenges:flag.placeholder')}
          autoComplete="off"
          autoCapitalize="off"
          autoCorrect="off"
          spellCheck={false}
          enterKeyHint="send"
          aria-invalid={isBad || undefined}
          aria-describedby={`${id}-answer`}
          onChange={(event) => {
            setWasTrimmed(false)
            onValueChange(event.target.value)
          }}
          onPaste={paste}
          onKeyDown={({ key, currentTarget, altKey, ctrlKey, metaKey, shiftKey }) => {
            if (currentTarget.value !== '' || altKey || ctrlKey || metaKey || shiftKey) return
            if (key === 'ArrowRight') onStep?.(1)
            if (key === 'ArrowLeft') onStep?.(-1)
          }}
        />
        <Button
          type="submit"
          variant={isPrimary ? 'primary' : 'secondary'}
          busy={isBusy}
          disabled={wait > 0 || isUsedUp || isClosed}
        >
          {wait > 0 ? t('challenges:flag.submitIn', { count: wait }) : t('challenges:flag.submit')}
          {wait <= 0 && <CornerDownLeft aria-hidden />}
        </Button>
      </div>
      <div id={`${id}-answer`} role="status" className={cx('stack gap-2 start small', styles.answer)}>
        <Answer answer={answer} />
        {answer.kind === 'none' && wasTrimmed && <p className="muted small">{t('challenges:flag.trimmed')}</p>}
        {answer.kind === 'none' && isOver && (
          <p className="toned-text" data-tone="warn">
            {t('common:game.over')}
          </p>
        )}
        {deadline !== null && (
          <p className="muted small">
            {isClosed ? t('challenges:flag.closed') : t('challenges:flag.closes', { time: formatDateTime(deadline) })}
          </p>
        )}
        {attemptsLeft !== undefined && !isClosed && (
          <p className="muted small">
            {isUsedUp ? t('challenges:flag.noneLeft') : t('challenges:flag.left', { count: attemptsLeft })}
          </p>
        )}
      </div>
    </form>
  )
}

function Answer({ answer }: { readonly answer: FlagAnswer }) {
  const { t } = useTranslation(['challenges', 'common'])
  switch (answer.kind) {
    case 'none':
      return null
    case 'sending':
      return (
        <p className="muted small">
          {answer.isRepeated ? `${t('challenges:flag.repeating')} ${t('challenges:flag.stored')}` : t('challenges:flag.judging')}
        </p>
      )
    case 'invalid':
      return (
        <Bad>
          {answer.why === 'empty' ? t('common:field.empty') : t('challenges:flag.tooLong', { count: Limits.maxFlagLength })}
        </Bad>
      )
    case 'wrong':
      return <Bad>{t('challenges:flag.wrong')}</Bad>
    case 'expired':
      return <Bad>{t('challenges:flag.expired')}</Bad>
    case 'unknown':
      return <Bad>{t('challenges:flag.unknown', { id: answer.submissionId })}</Bad>
    case 'refused':
      return <Refused error={answer.error} />
    case 'right':
      return <Right gain={answer.gain} />
  }
}

function Bad({ children }: { readonly children: ReactNode }) {
  return (
    <p className="line start toned-text" data-tone="bad">
      <CircleAlert aria-hidden />
      <span>{children}</span>
    </p>
  )
}

function Refused({ error }: { readonly error: unknown }) {
  const { t } = useTranslation('challenges')
  const { pathname, search } = useLocation()
  const isLoggedOut = error instanceof ApiError && error.httpStatus === 401
  return (
    <>
      <Bad>
        <ErrorText error={error} /> {isLoggedOut && t('flag.loginText')}
      </Bad>
      {isLoggedOut && (
        <ButtonLink size="small" to={paths.login.to(`${pathname}${search}`)}>
          {t('flag.login')}
        </ButtonLink>
      )}
    </>
  )
}

function Right({ gain }: { readonly gain: RightGain }) {
  const { t } = useTranslation(['challenges', 'common'])
  return (
    <div className="line gap-3 toned padded" data-tone="ok">
      <CircleCheck aria-hidden className="toned-text" />
      <div className="stack gap-0">
        {typeof gain === 'object' && 'found' in gain ? (
          <Found {...gain.found} />
        ) : (
          <strong>{gain === 'again' ? t('challenges:flag.rightAgain') : t('challenges:flag.right')}</strong>
        )}
        {gain === 'unscored' && <span>{t('common:game.over')}</span>}
      </div>
    </div>
  )
}

function Found({ points, isNew, found, total }: FoundFlag) {
  const { t } = useTranslation('challenges')
  return (
    <>
      <strong>{isNew ? t('parts.new', { points: t('flag.gain', { count: points }) }) : t('parts.again')}</strong>
      <span>{t('parts.left', { count: total - found })}</span>
    </>
  )
}
