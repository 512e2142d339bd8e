import type { ImportRepairs } from '@capstan/contract/exchange'
import { InstanceLimits } from '@capstan/contract/limits'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isIntegerTextBetween, NumberField } from '../../components/editing/number-field.tsx'
import { Button } from '../../components/ui/button.tsx'

/** Limits that suffice for most services. */
const usualLimits = { memoryMb: '256', cpuTenths: '5' }

type LimitsRepairProps = Readonly<{
  busy: boolean
  onRepair: (repairs: ImportRepairs) => void
}>

/** Form that sets CPU and memory limits for all containers whose files define none. */
export function LimitsRepairForm({ busy, onRepair }: LimitsRepairProps) {
  const { t } = useTranslation(['admin-import', 'admin-challenges'])
  const [memoryMb, setMemoryMb] = useState(usualLimits.memoryMb)
  const [cpuTenths, setCpuTenths] = useState(usualLimits.cpuTenths)
  const { minMemoryMb, maxMemoryMb, minCpuTenths, maxCpuTenths } = InstanceLimits
  const isValid =
    isIntegerTextBetween(memoryMb, minMemoryMb, maxMemoryMb) && isIntegerTextBetween(cpuTenths, minCpuTenths, maxCpuTenths)
  return (
    <form
      className="row ends"
      onSubmit={(event) => {
        event.preventDefault()
        if (isValid) onRepair({ defaultMemoryMb: Number(memoryMb), defaultCpuTenths: Number(cpuTenths) })
      }}
    >
      <NumberField
        label={t('admin-challenges:field.memoryMb')}
        unit={t('admin-challenges:unit.mb')}
        value={memoryMb}
        onValueChange={setMemoryMb}
        min={minMemoryMb}
        max={maxMemoryMb}
      />
      <NumberField
        label={t('admin-challenges:field.cpuTenths')}
        unit={t('admin-challenges:unit.cpu')}
        value={cpuTenths}
        onValueChange={setCpuTenths}
        min={minCpuTenths}
        max={maxCpuTenths}
      />
      <Button type="submit" disabled={busy || !isValid}>
        {t('admin-import:report.limits')}
      </Button>
    </form>
  )
}
