import type { ChallengeCategory } from '@capstan/contract/challenges'
import type { ReactNode } from 'react'
import { categoryIcons } from './category.tsx'
import styles from './category-bars.module.css'
import { cx } from './cx.ts'
import { ShareBar } from './share-bar.tsx'

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
    <ul className={cx('aligned small number', styles.categories)}>
      {rows.map(({ category, share, first, second }) => {
        const Icon = categoryIcons[category]
        return (
          <li key={category} data-category={category}>
            <span className="inline">
              <Icon aria-hidden />
              {category}
            </span>
            <ShareBar share={share} />
            {first}
            {second}
          </li>
        )
      })}
    </ul>
  )
}
