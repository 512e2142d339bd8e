import type { ChallengeCategory } from '@capstan/contract/challenges'
import { categoryIcons } from './category.tsx'
import styles from './display.module.css'

export function CategoryBadge({ category }: { readonly category: ChallengeCategory }) {
  const Icon = categoryIcons[category]
  return (
    <span className={styles.badge} data-category={category}>
      <Icon aria-hidden />
      {category}
    </span>
  )
}
