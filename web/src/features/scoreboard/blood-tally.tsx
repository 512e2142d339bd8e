import { bloodTypes } from '@capstan/contract/vocabulary'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import type { BloodPlace } from '../../components/ui/blood-shape.ts'
import { formatNumber } from '../../lib/format.ts'
import type { BloodCounts } from './standings.ts'

type BloodTallyProps = Readonly<{
  bloods: BloodCounts
  decorative?: boolean
}>

/** Number of first, second and third bloods of a team. */
export function BloodTally({ bloods, decorative }: BloodTallyProps): ReactNode {
  const { t } = useTranslation('scoreboard')
  if (bloods.every((count) => count === 0))
    return (
      <span className="faint">
        <span aria-hidden>–</span>
        {!decorative && <span className="visually-hidden">{t('blood.none')}</span>}
      </span>
    )
  return (
    <span className="line">
      {bloodTypes.map((type, index) => {
        const count = bloods[index] ?? 0
        if (count === 0) return null
        const place = (index + 1) as BloodPlace
        return (
          <span key={type} className="inline gap-0 tiny" {...(!decorative && { title: t(`blood.count.${type}`, { count }) })}>
            <BloodMark place={place} {...(!decorative && { label: t(`blood.${type}`) })} />
            <span className="number">{formatNumber(count)}</span>
          </span>
        )
      })}
    </span>
  )
}

/** Explains the blood marks to sighted users. It is hidden from screen readers, because each mark has an accessible name. */
export function MarkLegend() {
  const { t } = useTranslation('scoreboard')
  return (
    <ul className="row row-end muted tiny nowrap" aria-hidden>
      {bloodTypes.map((type, index) => (
        <li key={type} className="inline gap-1">
          <BloodMark place={(index + 1) as BloodPlace} />
          {t(`blood.${type}`)}
        </li>
      ))}
      <li className="inline gap-1">
        <span className="dot" />
        {t('blood.Normal')}
      </li>
    </ul>
  )
}
