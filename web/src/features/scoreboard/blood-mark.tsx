import { bloodTypes } from '@capstan/contract/vocabulary'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { formatNumber } from '../../lib/format.ts'
import styles from './marks.module.css'
import type { BloodCounts } from './standings.ts'

/** 1, 2 or 3 in its colour; a plain dot for every other solve. */
export const SolveMark = ({ place, label }: { readonly place: 1 | 2 | 3 | undefined; readonly label: string }) => (
  <span role="img" aria-label={label} className={styles.mark} data-place={place}>
    {place}
  </span>
)

/** How often a team was first, second, third. */
export function BloodTally({ bloods }: { readonly bloods: BloodCounts }): ReactNode {
  const { t } = useTranslation('scoreboard')
  if (bloods.every((count) => count === 0))
    return (
      <span className="faint">
        <span aria-hidden>–</span>
        <span className="visually-hidden">{t('blood.none')}</span>
      </span>
    )
  return (
    <span className={styles.tally}>
      {bloodTypes.map((type, index) => {
        const count = bloods[index] ?? 0
        if (count === 0) return null
        return (
          <span key={type} className={styles.tallied} title={t(`blood.count.${type}`, { count })}>
            <SolveMark place={(index + 1) as 1 | 2 | 3} label={t(`blood.${type}`)} />
            <span className="number">{formatNumber(count)}</span>
          </span>
        )
      })}
    </span>
  )
}

/** What the marks mean. */
export function MarkLegend() {
  const { t } = useTranslation('scoreboard')
  return (
    <ul className={styles.legend} aria-label={t('legend')}>
      {bloodTypes.map((type, index) => (
        <li key={type}>
          <span className={styles.mark} data-place={index + 1} aria-hidden>
            {index + 1}
          </span>
          {t(`blood.${type}`)}
        </li>
      ))}
      <li>
        <span className={styles.mark} aria-hidden />
        {t('blood.Normal')}
      </li>
    </ul>
  )
}
