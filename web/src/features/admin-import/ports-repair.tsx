import type { ImportedChallenge } from '@capstan/contract/exchange'
import { InstanceLimits } from '@capstan/contract/limits'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { isIntegerTextBetween, NumberInput } from '../../components/editing/number-field.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Select } from '../../components/ui/input.tsx'

type PortsRepairProps = Readonly<{
  challenges: readonly ImportedChallenge[]
  busy: boolean
  /**
   * Function that receives the entered ports, such as `0:8080,4:1337`. The number before each port is the position of the
   * challenge in the archive.
   */
  onRepair: (ports: string) => void
}>

function namedPortsOf({ findings }: ImportedChallenge): string[] {
  return findings.flatMap(({ repair, ports = [] }) => (repair === 'port' ? ports.map(String) : []))
}

/** Form that sets the port of each challenge whose files name no port or several ports. */
export function PortsRepairForm({ challenges, busy, onRepair }: PortsRepairProps) {
  const { t } = useTranslation('admin-import')
  const [typed, setTyped] = useState<Readonly<Record<number, string>>>({})
  const { minPort, maxPort } = InstanceLimits
  const ports = challenges.map(({ position, container }) => ({
    position,
    port: typed[position] ?? String(container?.port ?? ''),
  }))
  const isValid = ports.every(({ port }) => isIntegerTextBetween(port, minPort, maxPort))
  return (
    <form
      className="row ends"
      onSubmit={(event) => {
        event.preventDefault()
        if (isValid) onRepair(ports.map(({ position, port }) => `${position}:${Number(port)}`).join(','))
      }}
    >
      {challenges.map((challenge, index) => {
        const { position, title } = challenge
        const named = namedPortsOf(challenge)
        const value = ports[index]?.port ?? ''
        const set = (port: string) => setTyped({ ...typed, [position]: port })
        return (
          <Field key={position} label={t('report.port', { title })}>
            {(control) =>
              named.length > 1 ? (
                <Select
                  {...control}
                  value={value}
                  onValueChange={set}
                  options={named.map((port) => ({ value: port, label: port }))}
                />
              ) : (
                <NumberInput {...control} value={value} onValueChange={set} min={minPort} max={maxPort} />
              )
            }
          </Field>
        )
      })}
      <Button type="submit" disabled={busy || !isValid}>
        {t('report.ports')}
      </Button>
    </form>
  )
}
