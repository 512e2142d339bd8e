import type { ChallengeCategory } from '@capstan/contract/challenges'
import type { ReactNode } from 'react'
import { categoryIcons } from './category.tsx'
import styles from './category-bars.module.css'

type CategoryBarsProps = Readonly<{
  rows: readonly Readonly<{
    category: ChallengeCategory
    /** Length of the bar, from 0 to 1. */
    share: number
    /** Content of the two columns after the bar. */
    first: ReactNode
    second: ReactNode
  }>[]
}>

/** Bars per category, each with two values. */
export function CategoryBars({ rows }: CategoryBarsProps) {
  return (
    <ul className={styles.categories}>
      {rows.map(({ category, share, first, second }) => {
        const Icon = categoryIcons[category]
        return (
          <li key={category} data-category={category}>
            <span className="inline small">
              <Icon aria-hidden />
              {category}
            </span>
            <span className={styles.bar} aria-hidden>
              <span style={{ scale: `${share} 1` }} />
            </span>
            {first}
            {second}
          </li>
        )
      })}
    </ul>
  )
}
