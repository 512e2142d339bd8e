import type { CountedCapture } from '@capstan/contract/captures'
import { defaultContainerName } from '@capstan/contract/containers'
import { ownOperations } from '@capstan/contract/operations'
import { Download } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { DownloadButton } from '../../components/ui/download-link.tsx'
import { formatBytes } from '../../lib/format.ts'
import { addressOfCall } from '../../lib/http.ts'

/**
 * Returns the name of the container whose traffic a file contains. If an instance has a single container, its files contain no
 * container name.
 */
export function nameOfRecordedContainer({ container }: CountedCapture): string {
  return container ?? defaultContainerName
}

/** Groups the files by the name of their container. */
export function groupFilesByContainer(
  files: readonly CountedCapture[],
): readonly (readonly [string, readonly CountedCapture[]])[] {
  return [...Map.groupBy(files, nameOfRecordedContainer)].toSorted(([one], [other]) => one.localeCompare(other))
}

type CaptureContainersProps = Readonly<{
  containers: ReturnType<typeof groupFilesByContainer>
  params: Readonly<{ cid: number; pid: number }>
}>

/** List of the recorded containers. Each of them has one file with all of its packets. */
export function RecordedContainerList({ containers, params }: CaptureContainersProps) {
  const { t } = useTranslation('monitor')
  return (
    <ul className="stack" aria-label={t('capture.container')}>
      {containers.map(([container, files]) => (
        <li key={container} className="row row-between">
          <span>
            <bdi className="mono">{container}</bdi>{' '}
            <span className="small muted number">
              {t('capture.fileCount', { count: files.length })} ·{' '}
              {t('capture.total', { size: formatBytes(files.reduce((sum, { size }) => sum + size, 0)) })}
            </span>
          </span>
          <DownloadButton
            size="small"
            variant="ghost"
            href={addressOfCall(ownOperations.downloadMergedCaptures, { params, query: { container } })}
            aria-label={t('capture.downloadContainer', { name: container })}
          >
            <Download aria-hidden />
          </DownloadButton>
        </li>
      ))}
    </ul>
  )
}
