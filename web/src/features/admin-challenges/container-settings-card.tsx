import type { FullChallenge } from '@capstan/contract/challenge'
import { containerOf, withContainer } from '@capstan/contract/challenge-parts'
import type { ContainerChoices } from '@capstan/contract/container-definition'
import { Plus, X } from 'lucide-react'
import { type ReactNode, useMemo, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ConflictAlert } from '../../components/editing/conflict-alert.tsx'
import { useDraft } from '../../components/editing/use-draft.ts'
import { Alert } from '../../components/ui/badge.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Field, FieldError, Switch } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Input, Select, Textarea } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { toast } from '../../components/ui/toast.ts'
import { byDefault, type ContainerForm, containerFormOf, definitionOf, type FormFaults, formFaultsOf } from './container-form.ts'
import styles from './container-settings-card.module.css'
import { saveChallenge } from './save-challenge.ts'
import { useUnsaved } from './unsaved.tsx'

type ContainerSettingsCardProps = Readonly<{
  gameId: number
  whole: FullChallenge
}>

/**
 * Container settings except image and limits. They are folded, because most challenges need none. A separate button saves them.
 */
export function ContainerSettingsCard({ gameId, whole }: ContainerSettingsCardProps) {
  const { t } = useTranslation('admin-container')
  const { t: tEditing } = useTranslation('editing')
  const { choices } = whole
  const { definition, port } = containerOf(whole.challenge)
  const stored = useMemo(() => containerFormOf(definition), [definition])
  const draft = useDraft(`container-${gameId}-${whole.id}`, stored)
  // Secrets are not part of the draft, which stays in the browser when the page is left.
  const [typed, setTyped] = useState<ContainerForm['secrets']>()
  const secrets = typed ?? stored.secrets
  const form = useMemo(() => ({ ...draft.value, secrets }), [draft.value, secrets])
  const discard = () => {
    draft.discard()
    setTyped(undefined)
  }
  const faults = useMemo(() => formFaultsOf(form, port, choices), [form, port, choices])
  const save = useAction(async () => {
    const saved = await saveChallenge(gameId, whole, {
      change: (challenge) => withContainer(challenge, { definition: definitionOf(form, choices) }),
      isContested: (newer) => draft.conflictsWith(containerFormOf(containerOf(newer.challenge).definition)).length > 0,
    })
    if (!saved) return
    discard()
    toast({ tone: 'ok', title: t('saved') })
  })
  const isDirty = draft.changedFields.length > 0 || typed !== undefined
  useUnsaved(isDirty)
  const faultCount = Object.keys(faults).length
  return (
    <Card title={t('title')}>
      <div className="stack">
        <p className="small muted">{t('text')}</p>
        <details className={styles.fold} open={isDirty || Object.keys(definition).length > 0}>
          <summary>{t('advanced')}</summary>
          <Fields form={form} faults={faults} choices={choices} set={draft.set} onSecrets={setTyped} />
        </details>
        {save.error !== undefined && (
          <Alert tone="bad">
            <ErrorText error={save.error} />
          </Alert>
        )}
        {isDirty && (
          <div className="row row-between">
            <span className="small">{faultCount > 0 ? tEditing('faults', { count: faultCount }) : t('nextStart')}</span>
            <span className="row gap-2">
              <Button variant="ghost" onClick={discard} disabled={save.busy}>
                {tEditing('discard')}
              </Button>
              <Button
                variant="primary"
                busy={save.busy}
                disabled={faultCount > 0 || draft.conflicts.length > 0}
                onClick={() => void save.run()}
              >
                {tEditing('save')}
              </Button>
            </span>
          </div>
        )}
        <ConflictAlert draft={draft} labelOf={(field) => t(field === 'secrets' ? 'secret.title' : `field.${field}`)} />
      </div>
    </Card>
  )
}

type FieldsProps = Readonly<{
  form: ContainerForm
  faults: FormFaults
  choices: ContainerChoices
  set: (patch: Partial<ContainerForm>) => void
  onSecrets: (secrets: ContainerForm['secrets']) => void
}>

type TextField = { [Name in keyof ContainerForm]: ContainerForm[Name] extends string ? Name : never }[keyof ContainerForm]

const placeholders: Partial<Record<TextField, string>> = {
  command: '/bin/sh\n-c',
  environment: 'MODE=hard',
  flagVariables: 'FLAG',
  flagPath: '/flag.txt',
  flagMode: '0444',
  flagOwner: '0',
  writablePaths: '/tmp 64',
  furtherPorts: '8080/http 9000',
  readyPath: '/healthz',
  readyLine: 'Listening on port 1337',
  startTimeoutSeconds: '20',
}

function Fields({ form, faults, choices, set, onSecrets }: FieldsProps) {
  const { t } = useTranslation('admin-container')
  const faultOf = (name: keyof ContainerForm) => {
    const found = faults[name]
    if (!found) return undefined
    const words = t(`fault.${found.fault}`)
    return found.line === undefined ? words : t('line', { line: found.line, words })
  }
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
  const lines = (name: 'command' | 'args' | 'environment' | 'writablePaths') => (
    <Field label={t(`field.${name}`)} hint={t(`hint.${name}`)} error={faultOf(name)}>
      {(control) => (
        <Textarea
          {...control}
          rows={2}
          className={styles.lines}
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
        <Secrets secrets={form.secrets} error={faultOf('secrets')} onChange={onSecrets} />
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
          {choice('exposure')}
          {line('furtherPorts', t('hint.furtherPorts'))}
        </div>
        <Switch
          label={t('field.plainPort')}
          hint={t('hint.plainPort')}
          checked={form.plainPort}
          onCheckedChange={(plainPort) => set({ plainPort })}
        />
      </Group>
    </div>
  )
}

function Group({ title, children }: { readonly title: string; readonly children: ReactNode }) {
  return (
    <section className="stack" aria-label={title}>
      <h3 className="small medium">{title}</h3>
      {children}
    </section>
  )
}

type SecretsProps = Readonly<{
  secrets: ContainerForm['secrets']
  error: string | undefined
  onChange: (secrets: ContainerForm['secrets']) => void
}>

const secretExample = 'API_KEY'

/** Names and values of secrets. Stored values are never shown. */
function Secrets({ secrets, error, onChange }: SecretsProps) {
  const { t } = useTranslation('admin-container')
  const change = (place: number, patch: Partial<ContainerForm['secrets'][number]>) =>
    onChange(secrets.map((secret, index) => (index === place ? { ...secret, ...patch } : secret)))
  return (
    <section className="stack gap-2" aria-label={t('secret.title')}>
      <span className="small">{t('secret.title')}</span>
      {secrets.map(({ name, value }, index) => (
        // biome-ignore lint/suspicious/noArrayIndexKey: secrets are known by their place
        <div key={index} className={styles.secret}>
          <Input
            className="mono"
            aria-label={t('secret.name', { number: index + 1 })}
            autoComplete="off"
            spellCheck={false}
            placeholder={secretExample}
            value={name}
            onChange={(event) => change(index, { name: event.target.value })}
          />
          <Input
            type="password"
            aria-label={t('secret.value', { number: index + 1 })}
            autoComplete="new-password"
            placeholder={t('secret.kept')}
            value={value}
            onChange={(event) => change(index, { value: event.target.value })}
          />
          <IconButton
            label={t('secret.remove', { number: index + 1 })}
            onClick={() => onChange(secrets.filter((_, place) => place !== index))}
          >
            <X />
          </IconButton>
        </div>
      ))}
      <FieldError>{error}</FieldError>
      <div className="row">
        <Button size="small" onClick={() => onChange([...secrets, { name: '', value: '' }])}>
          <Plus aria-hidden />
          {t('secret.add')}
        </Button>
        <span className="small muted">{t('secret.hint')}</span>
      </div>
    </section>
  )
}
