import { ContainerLimits } from '@capstan/contract/limits'
import { Plus, X } from 'lucide-react'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Checkbox, FieldError } from '../../components/ui/field.tsx'
import { Input, Select } from '../../components/ui/input.tsx'
import type { FormFault } from './container-faults.ts'
import type { TypedPort } from './container-form.ts'
import styles from './container-rows.module.css'
import type { TypedContainer, TypedNetwork } from './containers-form.ts'

type RowsProps<Row> = Readonly<{
  title: string
  hint: string
  add: string
  /** Returns the label of the button that removes a row. */
  removeLabel: (number: number) => string
  rows: readonly Row[]
  blank: Row
  fault: FormFault | undefined
  error: string | undefined
  onChange: (rows: readonly Row[]) => void
  children: (row: Row, control: RowControl<Row>) => ReactNode
}>

type RowControl<Row> = Readonly<{
  number: number
  isInvalid: true | undefined
  set: (patch: Partial<Row>) => void
}>

/** List of rows with the same fields. Rows are added at the end. */
function Rows<Row>({ title, hint, add, removeLabel, rows, blank, fault, error, onChange, children }: RowsProps<Row>) {
  const faulty = fault && (fault.line ?? rows.length)
  return (
    <section className="stack gap-2" aria-label={title}>
      <span className="small">{title}</span>
      {rows.map((row, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: rows have no identity except their position
        <div key={index} className={styles.row}>
          {children(row, {
            number: index + 1,
            isInvalid: faulty === index + 1 || undefined,
            set: (patch) => onChange(rows.map((other, place) => (place === index ? { ...other, ...patch } : other))),
          })}
          <IconButton label={removeLabel(index + 1)} onClick={() => onChange(rows.filter((_, place) => place !== index))}>
            <X />
          </IconButton>
        </div>
      ))}
      <FieldError>{error}</FieldError>
      <div className="row">
        <Button size="small" onClick={() => onChange([...rows, blank])}>
          <Plus aria-hidden />
          {add}
        </Button>
        <span className="grow small muted">{hint}</span>
      </div>
    </section>
  )
}

const plainText = { className: 'mono', autoComplete: 'off', spellCheck: false } as const
const examples = { secret: 'API_KEY', network: 'default', alias: 'database', port: '8080' } as const

type EditorProps<Row> = Pick<RowsProps<Row>, 'rows' | 'fault' | 'error' | 'onChange'>

type SecretsProps = EditorProps<TypedContainer['secrets'][number]> &
  Readonly<{
    /** Names of the secrets whose values are stored. */
    stored: readonly string[]
  }>

/** Names and values of secrets. Stored values are never shown. */
export function SecretsEditor({ stored, ...list }: SecretsProps) {
  const { t } = useTranslation('admin-container')
  return (
    <Rows
      {...list}
      title={t('secret.title')}
      hint={t('secret.hint')}
      add={t('secret.add')}
      removeLabel={(number) => t('secret.remove', { number })}
      blank={{ name: '', value: '' }}
    >
      {({ name, value }, { number, isInvalid, set }) => (
        <>
          <Input
            {...plainText}
            aria-label={t('secret.name', { number })}
            aria-invalid={isInvalid}
            placeholder={examples.secret}
            value={name}
            onChange={(event) => set({ name: event.target.value })}
          />
          <Input
            type="password"
            aria-label={t('secret.value', { number })}
            aria-invalid={isInvalid}
            autoComplete="new-password"
            placeholder={stored.includes(name.trim()) ? t('secret.kept') : undefined}
            value={value}
            onChange={(event) => set({ value: event.target.value })}
          />
        </>
      )}
    </Rows>
  )
}

/** Networks of a container, and its additional host names in each network. */
export function NetworksEditor(list: EditorProps<TypedNetwork>) {
  const { t } = useTranslation('admin-container')
  return (
    <Rows
      {...list}
      title={t('network.title')}
      hint={t('network.hint')}
      add={t('network.add')}
      removeLabel={(number) => t('network.remove', { number })}
      blank={{ name: '', aliases: '' }}
    >
      {({ name, aliases }, { number, isInvalid, set }) => (
        <>
          <Input
            {...plainText}
            aria-label={t('network.name', { number })}
            aria-invalid={isInvalid}
            placeholder={examples.network}
            value={name}
            onChange={(event) => set({ name: event.target.value })}
          />
          <Input
            {...plainText}
            aria-label={t('network.aliases', { number })}
            aria-invalid={isInvalid}
            placeholder={t('network.aliasExample', { alias: examples.alias })}
            value={aliases}
            onChange={(event) => set({ aliases: event.target.value })}
          />
        </>
      )}
    </Rows>
  )
}

const speeches = ['inner', 'tcp', 'http'] as const

/** Additional ports of a container. Each of them may be published to players. */
export function PortsEditor(list: EditorProps<TypedPort>) {
  const { t } = useTranslation('admin-container')
  const { t: tChallenges } = useTranslation('admin-challenges')
  return (
    <Rows
      {...list}
      title={t('field.ports')}
      hint={t('hint.ports')}
      add={t('port.add')}
      removeLabel={(number) => t('port.remove', { number })}
      blank={{ port: '', speaks: 'inner', isRaw: false, hasOwnCertificate: false, label: '' }}
    >
      {({ port, speaks, isRaw, hasOwnCertificate, label }, { number, isInvalid, set }) => (
        <>
          <Input
            inputMode="numeric"
            autoComplete="off"
            className="number"
            aria-label={t('port.number', { number })}
            aria-invalid={isInvalid}
            placeholder={examples.port}
            value={port}
            onChange={(event) => set({ port: event.target.value })}
          />
          <Select
            aria-label={t('port.speaks', { number })}
            value={speaks}
            onValueChange={(value) => set({ speaks: value, isRaw: isRaw && value === 'http' })}
            options={speeches.map((value) => ({ value, label: t(`port.speech.${value}`) }))}
          />
          {speaks !== 'inner' && (
            <div className={cx('row small', styles.options)}>
              <Input
                aria-label={t('port.label', { number })}
                placeholder={t('field.entryLabel')}
                maxLength={ContainerLimits.maxPortLabelLength}
                value={label}
                onChange={(event) => set({ label: event.target.value })}
              />
              {speaks === 'http' && (
                <Checkbox
                  label={tChallenges('reach.isRaw')}
                  checked={isRaw}
                  onCheckedChange={(checked) => set({ isRaw: checked })}
                />
              )}
              <Checkbox
                label={tChallenges('reach.hasOwnCertificate')}
                checked={hasOwnCertificate}
                onCheckedChange={(checked) => set({ hasOwnCertificate: checked })}
              />
            </div>
          )}
        </>
      )}
    </Rows>
  )
}
