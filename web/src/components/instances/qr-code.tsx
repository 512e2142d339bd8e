import { useTranslation } from 'react-i18next'
import { encode } from 'uqr'
import styles from './instances.module.css'

/** Modules of quiet around the code, as readers need it. */
const border = 4

/** An address for the camera of a phone. Dark on white in every scheme: many readers take no other. */
export function QrCode({ text }: { readonly text: string }) {
  const { t } = useTranslation('instances')
  const { data, size } = encode(text, { ecc: 'M', border })
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return (
    <figure className={styles.qr}>
      <svg role="img" viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" aria-label={t('qr.of', { address: text })}>
        <path fill="#fff" d={`M0 0h${size}v${size}h-${size}z`} />
        <path fill="#000" d={modules.join('')} />
      </svg>
      <figcaption>{t('qr.hint')}</figcaption>
    </figure>
  )
}
