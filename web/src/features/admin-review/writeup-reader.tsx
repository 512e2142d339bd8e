import type { WriteupEntry } from '@capstan/contract/writeups'
import { ChevronLeft, ChevronRight, Download, ExternalLink } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ButtonAnchor, IconButton } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { DownloadButton } from '../../components/ui/download-link.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { EmptyState, ErrorState } from '../../components/ui/states.tsx'
import { usePdfBlobUrl } from '../../lib/use-pdf.ts'
import styles from './review.module.css'

function nameOf(url: string) {
  return decodeURIComponent(url.split('/').at(-1) ?? 'writeup.pdf')
}

type WriteupReaderProps = Readonly<{
  entry: WriteupEntry
  /** Position in the list, starting at 1. */
  number: number
  count: number
  onMove: (by: -1 | 1) => void
}>

/** Reader for one writeup, with a link to the next one. */
export function WriteupReader({ entry, number, count, onMove }: WriteupReaderProps) {
  const { t } = useTranslation('admin-review')
  const [round, setRound] = useState(0)
  const pdf = usePdfBlobUrl(entry.url, round)
  const team = entry.team.name ?? ''
  // Without a PDF viewer, the browser would download the file and not show it in the frame.
  const hasViewer = navigator.pdfViewerEnabled
  return (
    <section className={cx('stack gap-2', styles.reader)} aria-label={t('writeups.frame', { team })}>
      <div className="row gap-2 row-between">
        <span className="row gap-2">
          <IconButton size="small" label={t('writeups.previous')} disabled={number <= 1} onClick={() => onMove(-1)}>
            <ChevronLeft />
          </IconButton>
          <IconButton size="small" label={t('writeups.next')} disabled={number >= count} onClick={() => onMove(1)}>
            <ChevronRight />
          </IconButton>
          <h2 className="size-16 wrap-anywhere">{team}</h2>
          <span className="small muted number">{t('writeups.position', { number, count })}</span>
        </span>
        <span className="row gap-2">
          {pdf.state === 'ready' && (
            <ButtonAnchor size="small" href={pdf.address} target="_blank" rel="noopener">
              <ExternalLink aria-hidden />
              {t('writeups.open')}
            </ButtonAnchor>
          )}
          <DownloadButton size="small" href={entry.url} name={nameOf(entry.url)}>
            <Download aria-hidden />
            {t('writeups.download')}
          </DownloadButton>
        </span>
      </div>
      {pdf.state === 'loading' && (
        <div role="status" aria-label={t('writeups.loading', { team })}>
          <Skeleton height="60dvh" />
        </div>
      )}
      {pdf.state === 'failed' && (
        <ErrorState title={t('writeups.failed')} error={pdf.error} onRetry={() => setRound(round + 1)} />
      )}
      {pdf.state === 'ready' &&
        (hasViewer ? (
          <iframe
            key={pdf.address}
            src={`${pdf.address}#navpanes=0&view=FitH`}
            title={t('writeups.frame', { team })}
            className={cx('frame', styles.page)}
          />
        ) : (
          <EmptyState icon={Download} title={team}>
            {t('writeups.noViewer')}
          </EmptyState>
        ))}
    </section>
  )
}
