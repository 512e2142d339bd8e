import { Download, ExternalLink } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { ButtonAnchor } from '../../components/ui/button.tsx'
import { DownloadButton } from '../../components/ui/download-link.tsx'
import { formatBytes } from '../../lib/format.ts'
import styles from './dialog.module.css'

type AttachmentProps = Readonly<{
  /** Address of the file: `/assets/{hash}/{name}` or an external one. */
  url: string
  /** Size in bytes. Null for an external file. */
  size: number | null
}>

function nameOf(url: URL) {
  const last = url.pathname.split('/').at(-1) ?? ''
  try {
    return decodeURIComponent(last)
  } catch {
    return last
  }
}

export function Attachment({ url, size }: AttachmentProps) {
  const { t } = useTranslation('challenges')
  const address = URL.parse(url, location.origin)
  if (!address || !/^https?:$/.test(address.protocol)) return null
  const isOwnOrigin = address.origin === location.origin
  const name = nameOf(address) || address.host
  if (isOwnOrigin)
    return (
      <DownloadButton href={address.href} name={name} wide className={styles.attachment}>
        <Download aria-hidden />
        <span className="truncate">
          <span className="visually-hidden">{t('dialog.download')}</span> <bdi>{name}</bdi>
        </span>
        <span className="muted tiny regular end">{size !== null && formatBytes(size)}</span>
      </DownloadButton>
    )
  return (
    <ButtonAnchor href={address.href} wide className={styles.attachment} target="_blank" rel="noopener noreferrer">
      <ExternalLink aria-hidden />
      <span className="truncate">
        <span className="visually-hidden">{t('dialog.download')}</span> <bdi>{name}</bdi>
      </span>
      <span className="muted tiny regular end">{t('dialog.external', { host: address.host })}</span>
    </ButtonAnchor>
  )
}
