import type { ImportPreview, ImportRepairs } from '@capstan/contract/exchange'
import type { Ref } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { FindingGroups } from './finding-groups.tsx'
import { LimitsRepairForm } from './limits-repair.tsx'
import { PortsRepairForm } from './ports-repair.tsx'

type ImportReportProps = Readonly<{
  preview: ImportPreview
  repairs: ImportRepairs
  busy: boolean
  /** Requests a new preview of the archive with these repairs. */
  onRepair: (repairs: ImportRepairs) => void
  ref: Ref<HTMLElement>
}>

/** Report of an import, with buttons for possible repairs. `capstan import` prints the same report. */
export function ImportReport({ preview, repairs, busy, onRepair, ref }: ImportReportProps) {
  const { t } = useTranslation('admin-import')
  const { groups } = preview
  const challenges = preview.challenges.filter(({ isRefused }) => !isRefused)
  const possible = new Set(challenges.flatMap(({ findings }) => findings.map(({ repair }) => repair)))
  const add = (more: ImportRepairs) => onRepair({ ...repairs, ...more })
  const unreachable = challenges.filter(
    ({ container, findings }) => container && findings.some(({ repair }) => repair === 'port'),
  )
  const hasRepairs = Object.keys(repairs).length > 0
  return (
    <Card ref={ref} tabIndex={-1} aria-label={t('report.title')} title={t('report.title')}>
      <div className="stack">
        <div className="row ends">
          {possible.has('enable') && repairs.enableAll !== true && (
            <Button disabled={busy} onClick={() => add({ enableAll: true })}>
              {t('report.enable')}
            </Button>
          )}
          {possible.has('limits') && <LimitsRepairForm busy={busy} onRepair={add} />}
          {unreachable.length > 0 && (
            <PortsRepairForm
              // Use the repaired ports as the key, so that the form resets after each repair. The new form lists only the
              // challenges that still need a port.
              key={repairs.ports}
              challenges={unreachable}
              busy={busy}
              onRepair={(ports) => add({ ports: repairs.ports === undefined ? ports : `${repairs.ports},${ports}` })}
            />
          )}
          {hasRepairs && (
            <Button variant="ghost" disabled={busy} onClick={() => onRepair({})}>
              {t('report.undo')}
            </Button>
          )}
        </div>
        <FindingGroups groups={groups} />
      </div>
    </Card>
  )
}
