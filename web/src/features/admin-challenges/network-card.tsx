import type { ContainerDependency } from '@capstan/contract/containers'
import { useTranslation } from 'react-i18next'
import { Card } from '../../components/ui/card.tsx'
import { Field, FieldError } from '../../components/ui/field.tsx'
import { Select } from '../../components/ui/input.tsx'
import type { ContainerProps } from './container-card.tsx'
import { NetworksEditor } from './container-rows.tsx'
import type { TypedContainer } from './containers-form.ts'
import { useContainerFault } from './use-container-fault.ts'

type NetworkCardProps = Omit<ContainerProps, 'isEntry'> &
  Readonly<{
    others: readonly TypedContainer[]
  }>

const flagChoices = ['default', 'yes', 'no'] as const
const waits = ['none', 'started', 'ready'] as const

/**
 * Card for the settings of a container that concern other containers or the flag: networks, start order, and whether the
 * container receives the flag.
 */
export function NetworkCard({ container, others, faults, set }: NetworkCardProps) {
  const { t } = useTranslation('admin-container')
  const faultOf = useContainerFault(faults)
  const waitFor = (key: string, when: ContainerDependency['when'] | 'none') => {
    const known = container.dependsOn.filter((each) => each.key !== key)
    set({ dependsOn: when === 'none' ? known : [...known, { key, when }] })
  }
  return (
    <Card title={t('network.card')}>
      <div className="stack">
        <NetworksEditor
          rows={container.networks}
          fault={faults.networks}
          error={faultOf('networks')}
          onChange={(networks) => set({ networks })}
        />
        <section className="stack gap-2" aria-label={t('dependency.title')}>
          <span className="small">{t('dependency.title')}</span>
          <div className="pair">
            {others.map(({ key, name }) => (
              <Field key={key} label={<code>{name}</code>}>
                {(control) => (
                  <Select
                    {...control}
                    aria-label={t('dependency.on', { name })}
                    aria-invalid={faults.dependsOn && container.dependsOn.some((each) => each.key === key) ? true : undefined}
                    value={container.dependsOn.find((each) => each.key === key)?.when ?? 'none'}
                    onValueChange={(when) => waitFor(key, when)}
                    options={waits.map((value) => ({ value, label: t(`dependency.when.${value}`) }))}
                  />
                )}
              </Field>
            ))}
          </div>
          <FieldError>{faultOf('dependsOn')}</FieldError>
        </section>
        <Field label={t('field.receivesFlag')}>
          {(control) => (
            <Select
              {...control}
              value={container.receivesFlag}
              onValueChange={(receivesFlag) => set({ receivesFlag })}
              options={flagChoices.map((value) => ({ value, label: t(`receivesFlag.${value}`) }))}
            />
          )}
        </Field>
      </div>
    </Card>
  )
}
