import { Hourglass, Play, Power, RotateCw } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { formatCountdown } from '../../lib/format.ts'
import { ApiError } from '../../lib/http.ts'
import { Button } from '../ui/button.tsx'
import { cx } from '../ui/cx.ts'
import { FieldError } from '../ui/field.tsx'
import { Progress } from '../ui/progress.tsx'
import { ErrorText } from '../ui/states.tsx'
import { ExactTimeTooltip } from '../ui/tooltip.tsx'
import { ProgressWheel } from '../wheel.tsx'
import type { InstanceAction, InstanceState } from './instance-state.ts'
import { lifetimeOf } from './instance-state.ts'
import styles from './instances.module.css'

export type InstancePanelProps = Readonly<{
  state: InstanceState
  now: number
  /** Lifetime of an instance, and the time that each extension adds, both in minutes. */
  minutes: Readonly<{ defaultLifetime: number; extensionDuration: number; renewalWindow: number }>
  startedBy?: string | undefined
  failure?: Readonly<{ action: InstanceAction; error: unknown }> | undefined
  /** Seconds until a start or stop is allowed. */
  coolDownSeconds?: number
  connection?: ReactNode
  /** Link to the form in which the player asks the organizers. The panel shows the link after a failed start. */
  askLink?: ReactNode
  onStart: () => void
  onStop: () => void
  onExtend: () => void
}>

export function InstancePanel(props: InstancePanelProps) {
  const { t } = useTranslation(['instances', 'common'])
  const { state, startedBy, failure, connection, askLink, coolDownSeconds = 0 } = props
  return (
    <section aria-label={t('instances:title')} className={cx('stack gap-3', styles.panel)} data-state={state.kind}>
      <Head {...props} />
      {startedBy !== undefined && (state.kind === 'creating' || state.kind === 'ready') && (
        <p className="muted small">{t('common:game.startedBy', { name: startedBy })}</p>
      )}
      {state.kind === 'creating' && <Creating since={state.since} isLate={state.isLate} now={props.now} />}
      {state.kind === 'lost' && (
        <>
          <FieldError>
            {t('instances:lost')} {t('instances:failedHint')}
          </FieldError>
          {askLink}
        </>
      )}
      {state.kind === 'none' && !failure && (
        <p className="muted small">{t('instances:noneText', { count: props.minutes.defaultLifetime })}</p>
      )}
      {state.kind === 'expired' && <p className="muted small">{t('instances:expiredText')}</p>}
      {state.kind === 'ready' && connection}
      {state.kind === 'ready' && <Life {...props} state={state} />}
      {/* The message is below the buttons, so that no button moves under the pointer. */}
      {failure && <Failure {...failure} isWaiting={coolDownSeconds > 0} askLink={askLink} />}
    </section>
  )
}

function isCoolDown(error: unknown) {
  return error instanceof ApiError && error.httpStatus === 429
}

function isStartFailure(error: unknown): error is ApiError {
  return error instanceof ApiError && error.code === 'instance.failed'
}

/** Reasons of failed starts for which the server's message contains no advice. The panel then adds advice. */
const reasonsWithoutAdvice = ['Crashed', 'NotAnswering', 'StartFailed']

function needsAdvice(error: unknown): boolean {
  return isStartFailure(error) && reasonsWithoutAdvice.includes(error.detail ?? '')
}

type FailureProps = Readonly<{
  action: InstanceAction
  error: unknown
  isWaiting: boolean
  askLink: ReactNode
}>

/** Shows why the action failed and what to do. A required wait is not shown as an error, because it ends by itself. */
function Failure({ action, error, isWaiting, askLink }: FailureProps) {
  const { t } = useTranslation('instances')
  if (isCoolDown(error)) return isWaiting ? <p className="muted small">{(error as ApiError).message}.</p> : null
  return (
    <>
      <FieldError>
        <ErrorText error={error} />
      </FieldError>
      {needsAdvice(error) && <p className="muted small">{t('failedHint')}</p>}
      {action === 'start' && isStartFailure(error) && askLink}
    </>
  )
}

const tones = { none: 'off', creating: 'warn', ready: 'ok', expired: 'off', lost: 'bad' } as const

function Head({ state, failure, coolDownSeconds = 0, onStart }: InstancePanelProps) {
  const { t } = useTranslation('instances')
  const failed = failure?.action === 'start' && state.kind === 'none' && !isCoolDown(failure.error)
  const name = failed ? 'failed' : state.kind
  return (
    <header className={cx('line', styles.head)}>
      <span className="dot" data-tone={failed ? 'bad' : tones[state.kind]} />
      <h3 className={styles.title}>{t(`state.${name}`)}</h3>
      {(state.kind === 'none' || state.kind === 'expired' || state.kind === 'lost') && (
        <Button variant="primary" size="small" disabled={coolDownSeconds > 0} onClick={onStart}>
          {coolDownSeconds > 0 ? (
            <Hourglass aria-hidden />
          ) : failed || state.kind !== 'none' ? (
            <RotateCw aria-hidden />
          ) : (
            <Play aria-hidden />
          )}
          {coolDownSeconds > 0
            ? t('startIn', { count: coolDownSeconds })
            : failed || state.kind !== 'none'
              ? t('startAgain')
              : t('start')}
        </Button>
      )}
    </header>
  )
}

/** Shows the time since the instance began to start, and the step that it has probably reached. */
function Creating({ since, isLate, now }: Readonly<{ since: number; isLate: boolean; now: number }>) {
  const { t } = useTranslation('instances')
  const seconds = Math.max(0, Math.floor((now - since) / 1000))
  const stage = isLate ? 'late' : seconds < 3 ? 'asked' : seconds < 12 ? 'starting' : 'pulling'
  return (
    <p className={cx('line muted small', styles.working)}>
      <ProgressWheel size={22} isTurning />
      <span>
        <span role="status">{t(`stage.${stage}`)}</span>{' '}
        <span className="number" role="timer">
          {t('seconds', { count: seconds })}
        </span>
      </span>
    </p>
  )
}

type ReadyState = Extract<InstanceState, { kind: 'ready' }>

function Life(props: InstancePanelProps & { readonly state: ReadyState }) {
  const { t } = useTranslation('instances')
  const { state, now, minutes, coolDownSeconds = 0, onExtend, onStop } = props
  // True while the confirmation is open. Undefined until the user opens the confirmation for the first time.
  const [asked, setAsked] = useState<boolean>()
  const { leftMs, share, canExtend } = lifetimeOf(state.closesAt, minutes, now)
  return (
    <div className="stack gap-2 ruled">
      <div className="row row-between small">
        <ExactTimeTooltip at={state.closesAt}>
          <span className="number medium" role="timer">
            {t('left', { time: formatCountdown(leftMs) })}
          </span>
        </ExactTimeTooltip>
        <span className="muted">
          {canExtend ? t('extendNow', { count: minutes.extensionDuration }) : t('extendLater', { count: minutes.renewalWindow })}
        </span>
      </div>
      <Progress label={t('leftLabel')} value={share} tone={canExtend ? 'warn' : 'brand'} />
      <div className="row gap-2">
        {canExtend && (
          <Button size="small" busy={state.busy === 'extend'} onClick={onExtend}>
            <Hourglass aria-hidden />
            {t('extend')}
          </Button>
        )}
        {asked ? (
          <>
            <Button
              variant="danger"
              size="small"
              busy={state.busy === 'stop'}
              disabled={coolDownSeconds > 0}
              onClick={() => {
                onStop()
                setAsked(false)
              }}
            >
              <Power aria-hidden />
              {coolDownSeconds > 0 ? t('destroyIn', { count: coolDownSeconds }) : t('destroySure')}
            </Button>
            <Button size="small" autoFocus onClick={() => setAsked(false)}>
              {t('keep')}
            </Button>
          </>
        ) : (
          <Button
            size="small"
            variant="ghost"
            autoFocus={asked === false}
            busy={state.busy === 'stop'}
            onClick={() => setAsked(true)}
          >
            <Power aria-hidden />
            {t('destroy')}
          </Button>
        )}
      </div>
    </div>
  )
}
