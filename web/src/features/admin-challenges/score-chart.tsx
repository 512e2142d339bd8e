import { challengeValue, minimumValue, type ScoreCurve } from '@capstan/contract/score'
import { useTranslation } from 'react-i18next'
import { cx } from '../../components/ui/cx.ts'
import { formatNumber } from '../../lib/format.ts'
import styles from './score-chart.module.css'
import { countChartSolvers, listLabeledSolverCounts } from './score-curve.ts'

const width = 560
const height = 190
const inset = { start: 44, end: 14, top: 14, bottom: 26 } as const
const steps = 90

type ScoreChartProps = Readonly<{
  curve: ScoreCurve
  solvers: number
}>

export function ScoreChart({ curve, solvers }: ScoreChartProps) {
  const { t } = useTranslation('admin-challenges')
  const most = countChartSolvers(curve, solvers)
  const top = Math.max(1, curve.points)
  const x = (count: number) => inset.start + ((count - 1) / (most - 1)) * (width - inset.start - inset.end)
  const y = (value: number) => inset.top + (1 - value / top) * (height - inset.top - inset.bottom)
  const counts = [...new Set(Array.from({ length: steps }, (_, step) => Math.round(1 + (step / (steps - 1)) * (most - 1))))]
  const line = counts.map((count) => `${x(count).toFixed(1)},${y(challengeValue(curve, count, most)).toFixed(1)}`).join(' ')
  const floor = minimumValue(curve)
  const now = challengeValue(curve, solvers, most)
  // Omit labels that would overlap the previous one.
  const named: number[] = []
  for (const count of listLabeledSolverCounts(most)) if (x(count) - x(named.at(-1) ?? -most) >= 24) named.push(count)
  return (
    <figure className={cx('stack gap-1 well', styles.chart)}>
      <svg viewBox={`0 0 ${width} ${height}`} role="img" aria-label={t('curve.label', { first: top, floor, solvers, now })}>
        <line className={styles.axis} x1={inset.start} x2={width - inset.end} y1={y(0)} y2={y(0)} />
        <line className={styles.floor} x1={inset.start} x2={width - inset.end} y1={y(floor)} y2={y(floor)} />
        <text className={styles.mark} x={inset.start - 8} y={y(top)} dy="0.35em" textAnchor="end">
          {formatNumber(curve.points)}
        </text>
        {y(floor) - y(top) > 14 && (
          <text className={styles.mark} x={inset.start - 8} y={y(floor)} dy="0.35em" textAnchor="end">
            {formatNumber(floor)}
          </text>
        )}
        {named.map((count) => (
          <text key={count} className={styles.mark} x={x(count)} y={height - 8} textAnchor="middle">
            {formatNumber(count)}
          </text>
        ))}
        <polygon className={styles.area} points={`${x(1)},${y(0)} ${line} ${x(most)},${y(0)}`} />
        <polyline className={styles.line} points={line} />
        {solvers > 0 && (
          <>
            <circle className={styles.now} cx={x(solvers)} cy={y(now)} r={4.5} />
            <text
              className={styles.nowText}
              x={x(solvers) + (solvers > most * 0.7 ? -8 : 8)}
              y={y(now) - 8}
              textAnchor={solvers > most * 0.7 ? 'end' : 'start'}
            >
              {t('curve.now', { points: formatNumber(now), count: solvers })}
            </text>
          </>
        )}
      </svg>
      <figcaption className="visually-hidden">
        {named.map((count) => t('curve.at', { count, points: challengeValue(curve, count, most) })).join(' ')}
      </figcaption>
      <p className="tiny muted" aria-hidden>
        {t('curve.axis')}
      </p>
      {curve.curve === 'rctf' && <p className="tiny muted">{t('curve.most', { most })}</p>}
    </figure>
  )
}
