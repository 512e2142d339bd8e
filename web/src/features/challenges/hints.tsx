import { Lightbulb } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Markdown } from '../../components/ui/markdown.tsx'
import styles from './dialog.module.css'

/** Hints, folded until the player opens them. */
export function Hints({ hints }: { readonly hints: readonly string[] }) {
  const { t } = useTranslation('challenges')
  if (hints.length === 0) return null
  return (
    <details className={styles.hints}>
      <summary>
        <Lightbulb aria-hidden />
        {t('dialog.hints', { count: hints.length })}
      </summary>
      <ol>
        {hints.map((hint, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: hints are known by their place
          <li key={index} aria-label={t('dialog.hint', { number: index + 1 })}>
            <Markdown source={hint} compact />
          </li>
        ))}
      </ol>
    </details>
  )
}
