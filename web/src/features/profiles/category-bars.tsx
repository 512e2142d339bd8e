import type { ProfileCategory } from '@capstan/contract/profiles'
import { useTranslation } from 'react-i18next'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { categoryIcons } from '../../components/ui/category.tsx'
import { formatNumber } from '../../lib/format.ts'
import styles from './profile.module.css'

/** Bars of solves by category, most first. The longest bar is full. */
export function CategoryBars({ categories }: { readonly categories: readonly ProfileCategory[] }) {
  const { t } = useTranslation('profiles')
  const most = Math.max(1, ...categories.map(({ solves }) => solves))
  const ordered = categories.toSorted((one, other) => other.solves - one.solves)
  return (
    <section className={styles.section} aria-labelledby="profile-categories">
      <h2 id="profile-categories">{t('categories.title')}</h2>
      <div className={styles.panel}>
        {ordered.length === 0 ? (
          <p className="muted">{t('categories.empty')}</p>
        ) : (
          <ul className={styles.categories}>
            {ordered.map(({ category, solves, firstBloods }) => {
              const Icon = categoryIcons[category]
              return (
                <li key={category} data-category={category}>
                  <span className={styles.category}>
                    <Icon aria-hidden />
                    {category}
                  </span>
                  <span className={styles.bar} aria-hidden>
                    <span style={{ scale: `${solves / most} 1` }} />
                  </span>
                  <span className={styles.count}>
                    <span aria-hidden>{formatNumber(solves)}</span>
                    <span className="visually-hidden">{t('categories.solves', { count: solves })}</span>
                  </span>
                  <span
                    className={styles.bloods}
                    {...(firstBloods > 0 && { title: t('categories.bloods', { count: firstBloods }) })}
                  >
                    {firstBloods > 0 && (
                      <>
                        <BloodMark place={1} size={14} />
                        <span aria-hidden>{formatNumber(firstBloods)}</span>
                        <span className="visually-hidden">{t('categories.bloods', { count: firstBloods })}</span>
                      </>
                    )}
                  </span>
                </li>
              )
            })}
          </ul>
        )}
      </div>
    </section>
  )
}
