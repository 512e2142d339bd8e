import { Limits } from '@capstan/contract/limits'
import { Star } from 'lucide-react'
import { useId } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import styles from './survey.module.css'

const ratings = Array.from({ length: Limits.maxSurveyRating }, (_, index) => index + 1)

type StarRatingProps = Readonly<{
  label: string
  value: number | null
  onValueChange: (value: number | null) => void
}>

/** Rating as a group of radio buttons, which look like stars. */
export function StarRating({ label, value, onValueChange }: StarRatingProps) {
  const { t } = useTranslation('survey')
  const name = useId()
  return (
    <div className="row gap-2">
      <div role="radiogroup" aria-label={label} className={styles.stars}>
        {ratings.map((rating) => (
          <label key={rating} className={styles.star} data-filled={value !== null && rating <= value}>
            <input
              type="radio"
              name={name}
              value={rating}
              className="visually-hidden"
              checked={rating === value}
              onChange={() => onValueChange(rating)}
            />
            <Star aria-hidden />
            <span className="visually-hidden">{t('stars', { rating })}</span>
          </label>
        ))}
      </div>
      {value !== null && (
        <Button size="small" variant="ghost" aria-label={t('clearOf', { name: label })} onClick={() => onValueChange(null)}>
          {t('clear')}
        </Button>
      )}
    </div>
  )
}
