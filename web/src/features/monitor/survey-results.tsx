import type { SurveyResult } from '@capstan/contract/surveys'
import { useTranslation } from 'react-i18next'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { NamedValue, NamedValueList } from '../../components/ui/facts.tsx'
import { ShareBar } from '../../components/ui/share-bar.tsx'
import { formatNumber } from '../../lib/format.ts'
import styles from './survey.module.css'

/** Results of the survey for a challenge or for the whole game: numbers, bars and comments. */
export function SurveyResultCard({ result }: { readonly result: SurveyResult }) {
  const { t } = useTranslation('survey')
  const { title, answers, ratings, mean, textCount, texts } = result
  const name = title ?? t('game')
  const most = Math.max(1, ...ratings)
  return (
    <Card title={name}>
      <div className="stack">
        <NamedValueList kind="pairs">
          <NamedValue name={t('answers')}>{formatNumber(answers)}</NamedValue>
          <NamedValue name={t('mean')}>{mean === null ? '–' : formatNumber(mean, { maximumFractionDigits: 1 })}</NamedValue>
        </NamedValueList>
        <ul className={cx('aligned small number', styles.bars)} aria-label={t('rating', { name })}>
          {ratings
            .map((count, index) => (
              <li key={t('stars', { rating: index + 1 })}>
                <span>{t('stars', { rating: index + 1 })}</span>
                <ShareBar share={count / most} />
                <b>{formatNumber(count)}</b>
              </li>
            ))
            .reverse()}
        </ul>
        {texts.length > 0 && (
          <section className="stack gap-2">
            <h3>{t('comments')}</h3>
            <ul className="stack gap-3">
              {texts.map(({ rating, text, author }, index) => (
                // Several comments may be equal, so only the position identifies a comment.
                // biome-ignore lint/suspicious/noArrayIndexKey: comments have no id
                <li key={index}>
                  {(author !== null || rating !== null) && (
                    <span className="row gap-2 tiny muted">
                      {author !== null && <b>{author}</b>}
                      {rating !== null && t('stars', { rating })}
                    </span>
                  )}
                  <p dir="auto" className="typed">
                    {text}
                  </p>
                </li>
              ))}
            </ul>
            {textCount > texts.length && <p className="small muted">{t('more', { total: textCount })}</p>}
          </section>
        )}
      </div>
    </Card>
  )
}
