import type { ContainerChoices } from '@capstan/contract/container-definition'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Field, Switch } from '../../components/ui/field.tsx'
import { Input, Select, Textarea } from '../../components/ui/input.tsx'
import type { ContainerProps } from './container-card.tsx'
import { byDefault, type ContainerForm, toContainerForm } from './container-form.ts'
import { SecretsEditor } from './container-rows.tsx'
import styles from './container-settings-card.module.css'
import { useContainerFault } from './use-container-fault.ts'

type ContainerSettingsCardProps = ContainerProps &
  Readonly<{
    choices: ContainerChoices
    /** Names of the secrets whose values are stored. */
    secrets: readonly string[]
  }>

const { ports: _, ...defaults } = toContainerForm({})
const settings = Object.keys(defaults) as (keyof typeof defaults)[]

/** True if no setting of the card differs from its default. */
function isPlain(form: ContainerForm): boolean {
  return settings.every((field) => JSON.stringify(form[field]) === JSON.stringify(defaults[field]))
}

/** Container settings except image, limits and ports. If all have their defaults, as in most challenges, they are collapsed. */
export function ContainerSettingsCard(card: ContainerSettingsCardProps) {
  const { t } = useTranslation('admin-container')
  const [isOpen, setOpen] = useState(!isPlain(card.container))
  const isFaulty = settings.some((field) => card.faults[field])
  return (
    <Card title={t('title')}>
      <div className="stack">
        <p className="small muted">
          {t('text')} {t('nextStart')}
        </p>
        <details
          className={cx('fold-text', styles.fold)}
          open={isOpen || isFaulty}
          onToggle={(event) => setOpen(event.currentTarget.open)}
        >
          <summary>{t('advanced')}</summary>
          <Fields {...card} />
        </details>
      </div>
    </Card>
  )
}

type TextField = { [Name in keyof ContainerForm]: ContainerForm[Name] extends string ? Name : never }[keyof ContainerForm]

const placeholders: Partial<Record<TextField, string>> = {
  command: '/bin/sh\n-c',
  environment: 'MODE=hard',
  flagVariables: 'FLAG',
  flagPath: '/flag.txt',
  flagMode: '0444',
  flagOwner: '0',
  writablePaths: '/tmp 64',
  readyPath: '/healthz',
  readyLine: 'Listening on port 1337',
  readyCommand: 'pg_isready\n-U\nshop',
  startTimeoutSeconds: '20',
}

function Fields({ container: form, isEntry, faults, choices, secrets, set }: ContainerSettingsCardProps) {
  const { t } = useTranslation('admin-container')
  const faultOf = useContainerFault(faults)
  const line = (name: TextField, hint?: string) => (
    <Field label={t(`field.${name}`)} hint={hint} error={faultOf(name)}>
      {(control) => (
        <Input
          {...control}
          className="mono"
          autoComplete="off"
          spellCheck={false}
          placeholder={placeholders[name]}
          value={form[name]}
          onChange={(event) => set({ [name]: event.target.value })}
        />
      )}
    </Field>
  )
  const lines = (name: 'command' | 'args' | 'environment' | 'writablePaths' | 'readyCommand') => (
    <Field label={t(`field.${name}`)} hint={t(`hint.${name}`)} error={faultOf(name)}>
      {(control) => (
        <Textarea
          {...control}
          rows={2}
          className={cx('code', styles.lines)}
          spellCheck={false}
          placeholder={placeholders[name]}
          value={form[name]}
          onChange={(event) => set({ [name]: event.target.value })}
        />
      )}
    </Field>
  )
  const choice = (name: 'egress' | 'security' | 'exposure') => (
    <Field label={t(`field.${name}`)} error={faultOf(name)}>
      {(control) => (
        <Select
          {...control}
          value={form[name]}
          onValueChange={(value) => set({ [name]: value })}
          options={[byDefault, ...choices[name]].map((value) => ({
            value,
            label: value === byDefault ? t('asPlatform') : t(`choice.${value as ContainerChoices[typeof name][number]}`),
          }))}
        />
      )}
    </Field>
  )
  return (
    <div className="stack">
      <Group title={t('group.program')}>
        <div className="pair">
          {lines('command')}
          {lines('args')}
        </div>
        {lines('environment')}
        <SecretsEditor
          rows={form.secrets}
          stored={secrets}
          fault={faults.secrets}
          error={faultOf('secrets')}
          onChange={(rows) => set({ secrets: rows })}
        />
      </Group>
      <Group title={t('group.flag')}>
        <p className="small muted">{t('hint.flag')}</p>
        {line('flagVariables')}
        <div className={styles.file}>
          {line('flagPath')}
          {line('flagMode')}
          {line('flagOwner')}
        </div>
      </Group>
      <Group title={t('group.rights')}>
        <div className="pair">
          {line('user')}
          {line('group')}
          {choice('security')}
          {choice('egress')}
        </div>
        <Switch
          label={t('field.readOnlyRoot')}
          hint={t('hint.readOnlyRoot')}
          checked={form.readOnlyRoot}
          onCheckedChange={(readOnlyRoot) => set({ readOnlyRoot })}
        />
        {lines('writablePaths')}
      </Group>
      <Group title={t('group.start')}>
        <div className="pair">
          {line('readyPath')}
          {line('readyPort')}
          {line('readyLine', t('hint.readyLine'))}
          {line('startTimeoutSeconds')}
          {line('pullSecret')}
          {isEntry && choice('exposure')}
        </div>
        {lines('readyCommand')}
        {isEntry && (
          <Switch
            label={t('field.plainPort')}
            hint={t('hint.plainPort')}
            checked={form.plainPort}
            onCheckedChange={(plainPort) => set({ plainPort })}
          />
        )}
      </Group>
    </div>
  )
}

function Group({ title, children }: Readonly<{ title: string; children: ReactNode }>) {
  return (
    <section className="stack" aria-label={title}>
      <h3 className="small medium">{title}</h3>
      {children}
    </section>
  )
}
