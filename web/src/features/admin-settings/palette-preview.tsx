import { useTranslation } from 'react-i18next'
import { Badge } from '../../components/ui/badge.tsx'
import { cx } from '../../components/ui/cx.ts'
import { formatNumber } from '../../lib/format.ts'
import { contrastRatio, createBrandCssProperties, createBrandScale, type Scheme } from '../../lib/palette.ts'
import styles from './settings.module.css'

/** Preview of the brand colors that result from a color, in the dark and the light color scheme. */
export function PalettePreview({ color }: { readonly color: string }) {
  const { t } = useTranslation('admin-settings')
  return (
    <section className="pair" aria-label={t('color.preview')}>
      <SchemePreview color={color} scheme="dark" />
      <SchemePreview color={color} scheme="light" />
    </section>
  )
}

function SchemePreview({ color, scheme }: Readonly<{ color: string; scheme: Scheme }>) {
  const { t } = useTranslation('admin-settings')
  const { steps, onBrand } = createBrandScale(color, scheme)
  const solid = steps[8]
  const ratio = solid ? contrastRatio(solid, onBrand) : 1
  return (
    <div
      className={cx('stack box small', styles.scheme)}
      data-preview={scheme}
      ref={(element) => {
        for (const [name, value] of Object.entries(createBrandCssProperties(color, scheme)))
          element?.style.setProperty(name, value)
      }}
    >
      <span className={cx('tiny', styles.note)}>{t(`color.${scheme}`)}</span>
      <span className={styles.scale} aria-hidden>
        {steps.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps are numbered
          <span key={index} style={{ background: `var(--brand-${index + 1})` }} />
        ))}
      </span>
      <span className="row gap-4" aria-hidden>
        <span className={cx('medium', styles.sampleButton)}>{t('color.button')}</span>
        <span className={styles.sampleLink}>{t('color.link')}</span>
        <Badge tone="brand">{t('color.badge')}</Badge>
      </span>
      <span className={cx('tiny', styles.note)}>
        {t('color.contrast', { ratio: formatNumber(ratio, { maximumFractionDigits: 1 }) })}
      </span>
    </div>
  )
}
