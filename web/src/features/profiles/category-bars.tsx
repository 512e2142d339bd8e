import type { ProfileCategory } from '@capstan/contract/profiles'
import { useTranslation } from 'react-i18next'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import { CategoryBars } from '../../components/ui/category-bars.tsx'
import { formatNumber } from '../../lib/format.ts'

/** Bars that show the number of solves per category, longest first. The longest bar has the full width. */
export function SolvesByCategory({ categories }: { readonly categories: readonly ProfileCategory[] }) {
  const { t } = useTranslation('profiles')
  const most = Math.max(1, ...categories.map(({ solves }) => solves))
  const ordered = categories.toSorted((one, other) => other.solves - one.solves)
  return (
    <section className="stack gap-3" aria-labelledby="profile-categories">
      <h2 id="profile-categories" className="size-16">
        {t('categories.title')}
      </h2>
      <div className="frame padded">
        {ordered.length === 0 ? (
          <p className="muted">{t('categories.empty')}</p>
        ) : (
          <CategoryBars
            rows={ordered.map(({ category, solves, firstBloods }) => ({
              category,
              share: solves / most,
              first: (
                <strong>
                  <span aria-hidden>{formatNumber(solves)}</span>
                  <span className="visually-hidden">{t('categories.solves', { count: solves })}</span>
                </strong>
              ),
              second: firstBloods > 0 && (
                <span className="inline gap-1 muted" title={t('categories.bloods', { count: firstBloods })}>
                  <BloodMark place={1} size={14} />
                  <span aria-hidden>{formatNumber(firstBloods)}</span>
                  <span className="visually-hidden">{t('categories.bloods', { count: firstBloods })}</span>
                </span>
              ),
            }))}
          />
        )}
      </div>
    </section>
  )
}
