import { Lightbulb } from 'lucide-react'
import { useDeferredValue } from 'react'
import { useTranslation } from 'react-i18next'
import { CategoryBadge } from '../../components/ui/category-badge.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Markdown } from '../../components/ui/markdown.tsx'
import { formatNumber } from '../../lib/format.ts'
import { type ChallengeForm, toStoredHints } from './challenge-form.ts'
import styles from './preview.module.css'

type PlayerPreviewProps = Readonly<{
  form: ChallengeForm
  /** Points of the challenge and of its flags. */
  score: number
  /** Number of teams that solved the challenge. */
  solvers: number
}>

export function ChallengePlayerPreview({ form, score, solvers }: PlayerPreviewProps) {
  const { t } = useTranslation('admin-challenges')
  const content = useDeferredValue(form.description)
  const hints = toStoredHints(useDeferredValue(form.hints))
  return (
    <section className={cx('stack gap-2', styles.preview)} aria-label={t('preview.title')}>
      <h2 className="muted small medium">{t('preview.title')}</h2>
      <div className={cx('frame', styles.frame)} data-category={form.category}>
        <header className="stack gap-2">
          <h3 className="size-20 wrap-anywhere">{form.title || '…'}</h3>
          <div className="row gap-2">
            <CategoryBadge category={form.category} />
            <span className="small muted number">
              <b className="bright">{formatNumber(score)}</b> {t('preview.points')} · {t('preview.solves', { count: solvers })}
            </span>
          </div>
        </header>
        {content.trim() === '' ? <p className="muted">{t('preview.empty')}</p> : <Markdown source={content} />}
        {hints.length > 0 && (
          <details className="fold">
            <summary>
              <Lightbulb aria-hidden className="toned-text" data-tone="warn" />
              {t('preview.hints', { count: hints.length })}
            </summary>
            <ol>
              {hints.map(({ text, price }, index) => (
                // biome-ignore lint/suspicious/noArrayIndexKey: hints have no identity except their position
                <li key={index}>
                  {price > 0 && (
                    <p className="small muted number">
                      {formatNumber(price)} {t('unit.points')}
                    </p>
                  )}
                  <Markdown source={text} compact />
                </li>
              ))}
            </ol>
          </details>
        )}
      </div>
    </section>
  )
}
