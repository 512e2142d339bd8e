import { InputLimits, Limits } from '@capstan/contract/limits'
import { useTranslation } from 'react-i18next'
import { MarkdownField } from '../../components/editing/markdown-field.tsx'
import { NumberField } from '../../components/editing/number-field.tsx'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import type { BloodPlace } from '../../components/ui/blood-shape.ts'
import { Card } from '../../components/ui/card.tsx'
import { Field, Switch } from '../../components/ui/field.tsx'
import { Input, Textarea } from '../../components/ui/input.tsx'
import { formatDateTime, formatDuration } from '../../lib/format.ts'
import styles from './admin-game.module.css'
import { DivisionsEditor } from './divisions-editor.tsx'
import { deadlineOf, type GameFault, type GameForm } from './game-form.ts'
import { fromLocalInput, toLocalInput, zoneAt } from './local-time.ts'

interface SectionProps {
  readonly form: GameForm
  readonly faults: Partial<Record<keyof GameForm, GameFault>>
  readonly set: (patch: Partial<GameForm>) => void
}

/** The words for a fault of a field. */
function useFault(faults: SectionProps['faults']) {
  const { t } = useTranslation('admin-game')
  return (field: keyof GameForm) => {
    const fault = faults[field]
    return fault && t(`fault.${fault}`)
  }
}

export function BasicsCard({ form, faults, set }: SectionProps) {
  const { t } = useTranslation('admin-game')
  const faultOf = useFault(faults)
  return (
    <Card title={t('card.basics')}>
      <div className="stack">
        <Field label={t('field.title')} error={faultOf('title')}>
          {(control) => (
            <Input
              {...control}
              value={form.title}
              maxLength={InputLimits.titleMaxLength}
              onChange={(event) => set({ title: event.target.value })}
            />
          )}
        </Field>
        <Field label={t('field.summary')} hint={t('hint.summary')} optional>
          {(control) => <Textarea {...control} value={form.summary} onChange={(event) => set({ summary: event.target.value })} />}
        </Field>
        <MarkdownField
          label={t('field.content')}
          optional
          rows={10}
          value={form.content}
          onValueChange={(content) => set({ content })}
        />
      </div>
    </Card>
  )
}

interface TimeFieldProps {
  readonly label: string
  readonly value: string
  readonly error: string | undefined
  readonly onValueChange: (iso: string) => void
}

function TimeField({ label, value, error, onValueChange }: TimeFieldProps) {
  return (
    <Field label={label} error={error}>
      {(control) => (
        <Input
          {...control}
          type="datetime-local"
          className="number"
          value={toLocalInput(value)}
          onChange={(event) => onValueChange(fromLocalInput(event.target.value))}
        />
      )}
    </Field>
  )
}

export function TimesCard({ form, faults, set }: SectionProps) {
  const { t } = useTranslation('admin-game')
  const faultOf = useFault(faults)
  const lasts = Date.parse(form.end) - Date.parse(form.start)
  return (
    <Card title={t('card.times')}>
      <div className="stack">
        <div className={styles.pair}>
          <TimeField
            label={t('field.start')}
            value={form.start}
            error={faultOf('start')}
            onValueChange={(start) => set({ start })}
          />
          <TimeField label={t('field.end')} value={form.end} error={faultOf('end')} onValueChange={(end) => set({ end })} />
        </div>
        <p className="small muted">
          {t('zone', { zone: zoneAt(form.start) })} {lasts > 0 && t('lasts', { duration: formatDuration(lasts) })}
        </p>
      </div>
    </Card>
  )
}

export function JoiningCard({ form, faults, set }: SectionProps) {
  const { t } = useTranslation('admin-game')
  const faultOf = useFault(faults)
  return (
    <Card title={t('card.joining')}>
      <div className="stack gap-6">
        <Switch
          label={t('field.acceptWithoutReview')}
          hint={t('hint.acceptWithoutReview')}
          checked={form.acceptWithoutReview}
          onCheckedChange={(acceptWithoutReview) => set({ acceptWithoutReview })}
        />
        <div className={styles.pair}>
          <Field label={t('field.inviteCode')} hint={t('hint.inviteCode')} optional>
            {(control) => (
              <Input
                {...control}
                className="mono"
                autoComplete="off"
                spellCheck={false}
                maxLength={Limits.gameCodeMaxLength}
                value={form.inviteCode}
                onChange={(event) => set({ inviteCode: event.target.value })}
              />
            )}
          </Field>
          <NumberField
            label={t('field.teamMemberCountLimit')}
            unit={t('unit.members')}
            hint={t('hint.unlimited')}
            min={0}
            value={form.teamMemberCountLimit}
            error={faultOf('teamMemberCountLimit')}
            onValueChange={(teamMemberCountLimit) => set({ teamMemberCountLimit })}
          />
        </div>
        <DivisionsEditor divisions={form.divisions} onChange={(divisions) => set({ divisions })} />
      </div>
    </Card>
  )
}

export function WriteupsCard({ form, faults, set }: SectionProps) {
  const { t } = useTranslation('admin-game')
  const faultOf = useFault(faults)
  const deadline = deadlineOf(form)
  return (
    <Card title={t('card.writeups')}>
      <div className="stack">
        <Switch
          label={t('field.writeupRequired')}
          hint={t('hint.writeupRequired')}
          checked={form.writeupRequired}
          onCheckedChange={(writeupRequired) => set({ writeupRequired })}
        />
        {form.writeupRequired && (
          <>
            <NumberField
              label={t('field.writeupHours')}
              unit={t('unit.hours')}
              min={0}
              step="any"
              hint={deadline && t('hint.deadline', { at: formatDateTime(deadline), zone: zoneAt(deadline) })}
              value={form.writeupHours}
              error={faultOf('writeupHours')}
              onValueChange={(writeupHours) => set({ writeupHours })}
            />
            <MarkdownField
              label={t('field.writeupNote')}
              optional
              rows={4}
              value={form.writeupNote}
              onValueChange={(writeupNote) => set({ writeupNote })}
            />
          </>
        )}
      </div>
    </Card>
  )
}

export function VisibilityCard({ form, faults, set }: SectionProps) {
  const { t } = useTranslation('admin-game')
  const faultOf = useFault(faults)
  return (
    <Card title={t('card.playing')}>
      <div className="stack">
        <Switch
          label={t('field.hidden')}
          hint={t('hint.hidden')}
          checked={form.hidden}
          onCheckedChange={(hidden) => set({ hidden })}
        />
        <Switch
          label={t('field.practiceMode')}
          hint={t('hint.practiceMode')}
          checked={form.practiceMode}
          onCheckedChange={(practiceMode) => set({ practiceMode })}
        />
        <NumberField
          label={t('field.containerCountLimit')}
          unit={t('unit.perTeam')}
          hint={t('hint.unlimited')}
          min={0}
          value={form.containerCountLimit}
          error={faultOf('containerCountLimit')}
          onValueChange={(containerCountLimit) => set({ containerCountLimit })}
        />
      </div>
    </Card>
  )
}

const bloods = ['bloodFirst', 'bloodSecond', 'bloodThird'] as const

export function BloodCard({ form, faults, set }: SectionProps) {
  const { t } = useTranslation('admin-game')
  const faultOf = useFault(faults)
  return (
    <Card title={t('card.blood')}>
      <div className="stack gap-2">
        <div className={styles.bloods}>
          {bloods.map((field, index) => (
            <NumberField
              key={field}
              label={
                <span className={styles.blood}>
                  <BloodMark place={(index + 1) as BloodPlace} />
                  {t(`field.${field}`)}
                </span>
              }
              unit="%"
              min={0}
              max={100}
              step={0.1}
              value={form[field]}
              error={faultOf(field)}
              onValueChange={(value) => set({ [field]: value })}
            />
          ))}
        </div>
        <p className="small muted">{t('hint.blood')}</p>
      </div>
    </Card>
  )
}
