import type { TestStep } from '@capstan/contract/challenges'
import { useTranslation } from 'react-i18next'
import { InstanceReason } from '../../components/challenge-health/instance-reason.tsx'
import { cx } from '../../components/ui/cx.ts'
import { formatExactTime, formatNumber } from '../../lib/format.ts'
import styles from './editor.module.css'
import { useTestReport } from './use-test-report.ts'

type TestLogProps = Readonly<{
  gameId: number
  challengeId: number
  /** True while the test container starts. The log is then open and refreshed often. */
  isStarting: boolean
}>

const tones: Readonly<Record<TestStep['state'], 'ok' | 'bad' | undefined>> = {
  Requested: undefined,
  Starting: undefined,
  Ready: 'ok',
  Failed: 'bad',
  Stopped: undefined,
}

/** Start log of the newest test container, with its steps or its error. */
export function TestStartLog({ gameId, challengeId, isStarting }: TestLogProps) {
  const { t } = useTranslation('admin-challenges')
  const steps = useTestReport(gameId, challengeId, { isStarting })?.steps
  const first = steps?.[0]
  if (!steps || !first) return null
  const hasFailed = steps.some(({ state }) => state === 'Failed')
  return (
    <details className={cx('well fold-text', styles.log)} open={isStarting || hasFailed}>
      <summary>{t('test.log')}</summary>
      <ol aria-live="polite" className="aligned muted small wrap-anywhere">
        {steps.map(({ time, state, message, reason }) => (
          <li key={`${time} ${state} ${message}`} data-tone={tones[state]}>
            <time dateTime={time} title={formatExactTime(time)} className="mono">
              {t('test.after', { seconds: secondsBetween(first.time, time) })}
            </time>
            <span>
              <b className="bright medium">{t(`test.step.${state}`)}</b>{' '}
              {message !== null && <InstanceReason code={reason} message={message} />}
            </span>
          </li>
        ))}
      </ol>
    </details>
  )
}

function secondsBetween(from: string, to: string): string {
  return formatNumber(Math.max(0, Date.parse(to) - Date.parse(from)) / 1000, {
    minimumFractionDigits: 1,
    maximumFractionDigits: 1,
  })
}
