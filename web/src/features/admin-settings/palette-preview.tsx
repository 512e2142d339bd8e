import { useTranslation } from 'react-i18next'
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
      className={styles.scheme}
      data-preview={scheme}
      ref={(element) => {
        for (const [name, value] of Object.entries(createBrandCssProperties(color, scheme)))
          element?.style.setProperty(name, value)
      }}
    >
      <span className={styles.schemeName}>{t(`color.${scheme}`)}</span>
      <span className={styles.scale} aria-hidden>
        {steps.map((_, index) => (
          // biome-ignore lint/suspicious/noArrayIndexKey: the steps are numbered
          <span key={index} data-step={index + 1} />
        ))}
      </span>
      <span className="row gap-4" aria-hidden>
        <span className={styles.sampleButton}>{t('color.button')}</span>
        <span className={styles.sampleLink}>{t('color.link')}</span>
        <span className={styles.sampleBadge}>{t('color.badge')}</span>
      </span>
      <span className={styles.ratio}>{t('color.contrast', { ratio: formatNumber(ratio, { maximumFractionDigits: 1 }) })}</span>
    </div>
  )
}
