import { ownOperations } from '@capstan/contract/operations'
import { Download } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { DownloadButton } from '../../components/ui/download-link.tsx'
import { Select } from '../../components/ui/input.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { addressOfCall } from '../../lib/http.ts'
import { usePdfBlobUrl } from '../../lib/use-pdf.ts'
import styles from './certificate.module.css'

type PreviewCardProps = Readonly<{
  gameId: number
  /** True if the game has a template. */
  hasTemplate: boolean
  /** Number that changes with the stored template, so that the preview loads again. */
  round: number
}>

/** Example of a certificate, drawn from the stored template. */
export function CertificatePreviewCard({ gameId, hasTemplate, round }: PreviewCardProps) {
  const { t } = useTranslation('admin-certificate')
  const [kind, setKind] = useState<'ranked' | 'unranked'>('ranked')
  return (
    <Card title={t('card.preview')}>
      <div className="stack gap-2">
        {hasTemplate ? (
          <>
            <Select
              aria-label={t('preview.kind')}
              value={kind}
              onValueChange={setKind}
              options={(['ranked', 'unranked'] as const).map((value) => ({ value, label: t(`preview.${value}`) }))}
            />
            <Preview
              address={addressOfCall(ownOperations.previewCertificate, {
                params: { id: gameId },
                query: { ranked: kind === 'ranked' },
              })}
              round={round}
            />
          </>
        ) : (
          <p className="small muted">{t('preview.none')}</p>
        )}
      </div>
    </Card>
  )
}

function Preview({ address, round }: Readonly<{ address: string; round: number }>) {
  const { t } = useTranslation('admin-certificate')
  const [tries, setTries] = useState(0)
  const pdf = usePdfBlobUrl(address, round + tries)
  if (pdf.state === 'failed') return <ErrorState error={pdf.error} onRetry={() => setTries(tries + 1)} />
  if (pdf.state === 'loading')
    return (
      <div role="status" aria-label={t('preview.loading')}>
        <Skeleton height="320px" />
      </div>
    )
  // If the browser has no PDF viewer, a frame cannot show the PDF, so offer a download instead.
  if (navigator.pdfViewerEnabled)
    return (
      <iframe
        src={`${pdf.address}#navpanes=0&toolbar=0&view=Fit`}
        title={t('preview.frame')}
        className={cx('frame', styles.frame)}
      />
    )
  return (
    <div className="row">
      <DownloadButton href={address}>
        <Download aria-hidden />
        {t('preview.download')}
      </DownloadButton>
    </div>
  )
}
