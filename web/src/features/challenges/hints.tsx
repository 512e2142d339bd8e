import type { Hint, HintOffer } from '@capstan/contract/hints'
import { Lightbulb } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Markdown } from '../../components/ui/markdown.tsx'

type HintsProps = Readonly<{
  hints: readonly Hint[]
  /** Hints that the team has not bought. */
  offers?: readonly HintOffer[]
  onBuy?: (offer: HintOffer) => void
}>

/** List of hints, which is collapsed until the player opens it. */
export function HintList({ hints, offers = [], onBuy }: HintsProps) {
  const { t } = useTranslation('challenges')
  const count = hints.length + offers.length
  if (count === 0) return null
  return (
    <details className="fold">
      <summary>
        <Lightbulb aria-hidden className="toned-text" data-tone="warn" />
        {t('dialog.hints', { count })}
      </summary>
      <ol>
        {hints.map(({ text, price }, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: hints have no identity except their position
          <li key={index} aria-label={t('dialog.hint', { number: index + 1 })}>
            {price > 0 && <p className="small muted number">{t('hints.price', { points: t('points', { count: price }) })}</p>}
            <Markdown source={text} compact />
          </li>
        ))}
        {offers.map((offer, index) => (
          <li key={offer.id} aria-label={t('dialog.hint', { number: hints.length + index + 1 })}>
            <Button size="small" onClick={() => onBuy?.(offer)}>
              {t('hints.buy', { points: t('points', { count: offer.price }) })}
            </Button>
          </li>
        ))}
      </ol>
    </details>
  )
}
