import type { CaptureHealth, CaptureState, InstanceCapture } from '@capstan/contract/captures'
import { FileCheck } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Alert, Badge, type BadgeTone } from '../../components/ui/badge.tsx'
import { EmptyState } from '../../components/ui/states.tsx'
import { Table, tableEnd } from '../../components/ui/table.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { formatBytes, formatNumber } from '../../lib/format.ts'

/** True if no recording failed or lost data. */
function isHealthy({ totals, instances }: CaptureHealth): boolean {
  return totals.droppedPackets + totals.lostFiles + totals.gaps === 0 && instances.every(({ state }) => state !== 'Failing')
}

export function RecorderAlert({ health }: { readonly health: CaptureHealth }) {
  const { t } = useTranslation('monitor')
  if (health.recorder !== 'Available')
    return (
      <Alert tone="warn" title={t('recorder.nothing')}>
        {t(`recorder.off.${health.recorder}`)}
      </Alert>
    )
  if (isHealthy(health)) return null
  const { droppedPackets, lostFiles, lostBytes, gaps } = health.totals
  const failing = health.instances.filter(({ state }) => state === 'Failing').length
  return (
    <Alert tone="bad" title={t('recorder.incomplete')}>
      {[
        failing > 0 && t('recorder.failing', { count: failing }),
        droppedPackets > 0 && t('recorder.dropped', { count: droppedPackets, number: formatNumber(droppedPackets) }),
        lostFiles > 0 && t('recorder.lost', { count: lostFiles, size: formatBytes(lostBytes) }),
        gaps > 0 && t('recorder.gaps', { count: gaps }),
      ]
        .filter(Boolean)
        .join(' ')}
    </Alert>
  )
}

const tones: Readonly<Record<CaptureState, BadgeTone>> = {
  Starting: 'neutral',
  Recording: 'ok',
  Failing: 'bad',
  Draining: 'brand',
  Complete: 'ok',
  Incomplete: 'warn',
}

/** Table with the recording status of each instance: the amounts of stored and lost data. */
export function RecordingStatusTable({ health }: { readonly health: CaptureHealth }) {
  const { t } = useTranslation('monitor')
  const { totals, instances } = health
  return (
    <div className="stack">
      <p className="small muted number">
        {t('capture.fileCount', { count: totals.files })} · {t('capture.total', { size: formatBytes(totals.bytes) })} ·{' '}
        {t('recorder.packets', { count: totals.packets, number: formatNumber(totals.packets) })}
      </p>
      {instances.length === 0 ? (
        <EmptyState icon={FileCheck} title={t('recorder.emptyTitle')}>
          {t('recorder.emptyText')}
        </EmptyState>
      ) : (
        <Table label={t('recorder.table')} dense listOnPhone>
          <thead>
            <tr>
              <th scope="col">{t('recorder.state')}</th>
              <th scope="col">{t('connection.team')}</th>
              <th scope="col">{t('connection.challenge')}</th>
              <th scope="col">{t('recorder.started')}</th>
              <th scope="col" className={tableEnd}>
                {t('recorder.stored')}
              </th>
              <th scope="col">{t('recorder.missing')}</th>
            </tr>
          </thead>
          <tbody>
            {instances.map((each) => (
              <tr key={each.instanceId}>
                <td>
                  <Badge tone={tones[each.state]}>{t(`recorder.is.${each.state}`)}</Badge>
                </td>
                <th scope="row">
                  <bdi>{each.teamName}</bdi>
                </th>
                <td className="wrap-anywhere" data-label={t('connection.challenge')}>
                  <span className="clamp" title={each.challengeTitle}>
                    <bdi>{each.challengeTitle}</bdi>
                  </span>
                </td>
                <td className="nowrap" data-label={t('recorder.started')}>
                  <RelativeTime at={each.startedAt} />
                </td>
                <td className={tableEnd} data-label={t('recorder.stored')}>
                  <span className="stack gap-0 tight nowrap">
                    <span className="number">{formatBytes(each.bytes)}</span>
                    <span className="tiny muted number">
                      {t('recorder.packets', { count: each.packets, number: formatNumber(each.packets) })}
                    </span>
                  </span>
                </td>
                <td data-label={t('recorder.missing')}>
                  <Missing capture={each} />
                </td>
              </tr>
            ))}
          </tbody>
        </Table>
      )}
    </div>
  )
}

function Missing({ capture }: { readonly capture: InstanceCapture }) {
  const { t } = useTranslation('monitor')
  const { droppedPackets, lostFiles, lostBytes, gaps, message } = capture
  const parts = [
    message,
    droppedPackets > 0 && t('recorder.dropped', { count: droppedPackets, number: formatNumber(droppedPackets) }),
    lostFiles > 0 && t('recorder.lost', { count: lostFiles, size: formatBytes(lostBytes) }),
    gaps > 0 && t('recorder.gaps', { count: gaps }),
  ].filter(Boolean)
  return <span className={parts.length === 0 ? 'muted' : undefined}>{parts.join(' ') || t('recorder.whole')}</span>
}
