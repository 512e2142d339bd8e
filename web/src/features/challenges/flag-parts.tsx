import type { ChallengePart } from '@capstan/contract/challenges'
import { Circle, CircleCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { cx } from '../../components/ui/cx.ts'
import { formatNumber } from '../../lib/format.ts'
import styles from './dialog.module.css'

/**
 * Returns the flags of a challenge for a team that has found none of them.
 * @param points points of each flag
 */
export function createFlagsNotYetFound(points: readonly number[]): ChallengePart[] {
  return points.map((each) => ({ points: each, foundAt: null }))
}

/** Flags that the team must find, with their points. Renders nothing if every flag solves the challenge. */
export function FlagPartList({ parts }: { readonly parts: readonly ChallengePart[] }) {
  const { t } = useTranslation('challenges')
  if (parts.length === 0) return null
  const found = parts.filter(({ foundAt }) => foundAt !== null).length
  return (
    <section className="stack gap-2" aria-label={t('parts.title')}>
      <p className="small">{t('parts.found', { found: formatNumber(found), count: parts.length })}</p>
      <ol className={cx('row small', styles.parts)}>
        {parts.map(({ points, foundAt }, index) => {
          const isFound = foundAt !== null
          const Icon = isFound ? CircleCheck : Circle
          return (
            // biome-ignore lint/suspicious/noArrayIndexKey: flags have no identity except their position
            <li key={index} className="inline gap-1 muted" data-found={isFound || undefined}>
              <Icon role="img" aria-label={t(isFound ? 'parts.isFound' : 'parts.isMissing', { number: index + 1 })} />
              <span className="number">{t('points', { count: points })}</span>
            </li>
          )
        })}
      </ol>
    </section>
  )
}
