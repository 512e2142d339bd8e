import { ContainerLimits, InputLimits, InstanceLimits } from '@capstan/contract/limits'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { NumberField } from '../../components/editing/number-field.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Field, Switch } from '../../components/ui/field.tsx'
import { Input } from '../../components/ui/input.tsx'
import type { FormFaults } from './container-faults.ts'
import type { TypedContainer } from './containers-form.ts'
import styles from './editor.module.css'
import { useContainerFault } from './use-container-fault.ts'

export type ContainerProps = Readonly<{
  container: TypedContainer
  /** True if players connect to the container. */
  isEntry: boolean
  faults: FormFaults
  set: (patch: Partial<TypedContainer>) => void
}>

type ContainerCardProps = ContainerProps &
  Readonly<{
    /** True if the challenge has more than one container. */
    hasOthers: boolean
    actions?: ReactNode
  }>

/** Image and resources of a container. */
export function ContainerCard({ container, isEntry, hasOthers, faults, actions, set }: ContainerCardProps) {
  const { t } = useTranslation('admin-challenges')
  const { t: tContainer } = useTranslation('admin-container')
  const faultOf = useContainerFault(faults)
  const cores = Number(container.cpuTenths) / 10
  return (
    <Card title={hasOthers ? tContainer('containers.one', { name: container.name }) : t('card.container')} actions={actions}>
      <div className="stack">
        {hasOthers && (
          <Field label={tContainer('field.name')} hint={tContainer('hint.name')} error={faultOf('name')}>
            {(control) => (
              <Input
                {...control}
                className="mono"
                autoComplete="off"
                spellCheck={false}
                value={container.name}
                maxLength={ContainerLimits.maxContainerNameLength}
                onChange={(event) => set({ name: event.target.value })}
              />
            )}
          </Field>
        )}
        <div className={isEntry ? styles.image : undefined}>
          <Field id="containerImage" label={t('field.image')} hint={t('hint.image')} error={faultOf('image')}>
            {(control) => (
              <Input
                {...control}
                className="mono"
                autoComplete="off"
                spellCheck={false}
                placeholder="registry.example/challenge:1"
                value={container.image}
                maxLength={InputLimits.maxImageNameLength}
                onChange={(event) => set({ image: event.target.value })}
              />
            )}
          </Field>
          {isEntry && (
            <NumberField
              label={t('field.port')}
              min={InstanceLimits.minPort}
              max={InstanceLimits.maxPort}
              value={container.port}
              error={faultOf('port')}
              onValueChange={(port) => set({ port })}
            />
          )}
        </div>
        <div className={styles.triple}>
          <NumberField
            label={t('field.cpuTenths')}
            unit={t('unit.cpu')}
            min={InstanceLimits.minCpuTenths}
            hint={!faults.cpuTenths && t('hint.cores', { count: cores })}
            value={container.cpuTenths}
            error={faultOf('cpuTenths')}
            onValueChange={(cpuTenths) => set({ cpuTenths })}
          />
          <NumberField
            label={t('field.memoryMb')}
            unit={t('unit.mb')}
            min={InstanceLimits.minMemoryMb}
            value={container.memoryMb}
            error={faultOf('memoryMb')}
            onValueChange={(memoryMb) => set({ memoryMb })}
          />
          <NumberField
            label={t('field.storageMb')}
            unit={t('unit.mb')}
            min={InstanceLimits.minStorageMb}
            value={container.storageMb}
            error={faultOf('storageMb')}
            onValueChange={(storageMb) => set({ storageMb })}
          />
        </div>
        {isEntry && (
          <Switch
            label={t('field.capture')}
            hint={t('hint.capture')}
            checked={container.capture !== false}
            onCheckedChange={(capture) => set({ capture })}
          />
        )}
        {isEntry && hasOthers && container.capture !== false && (
          <Switch
            label={tContainer('field.captureAll')}
            hint={tContainer('hint.captureAll')}
            checked={container.capture === 'all'}
            onCheckedChange={(isAll) => set({ capture: isAll ? 'all' : true })}
          />
        )}
      </div>
    </Card>
  )
}
