import { useTranslation } from 'react-i18next'
import { encode } from 'uqr'
import { cx } from '../ui/cx.ts'
import styles from './instances.module.css'

/** Width of the quiet margin that scanners require, in modules. */
const border = 4

/** QR code of an address. It is dark on white in both color schemes, as many scanners require. */
export function QrCode({ text }: { readonly text: string }) {
  const { t } = useTranslation('instances')
  const { data, size } = encode(text, { ecc: 'M', border })
  const modules = data.flatMap((row, y) => row.flatMap((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : [])))
  return (
    <figure className={cx('stack gap-1 muted small', styles.qr)}>
      <svg role="img" viewBox={`0 0 ${size} ${size}`} shapeRendering="crispEdges" aria-label={t('qr.of', { address: text })}>
        <path fill="#fff" d={`M0 0h${size}v${size}h-${size}z`} />
        <path fill="#000" d={modules.join('')} />
      </svg>
      <figcaption>{t('qr.hint')}</figcaption>
    </figure>
  )
}
