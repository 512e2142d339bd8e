import { InputLimits, Limits } from '@capstan/contract/limits'
import { surveyModes } from '@capstan/contract/vocabulary'
import type { ReactNode } from 'react'
import { useTranslation } from 'react-i18next'
import { listEndPresets, listStartPresets, timeZoneAt } from '../../components/editing/local-time.ts'
import { MarkdownField } from '../../components/editing/markdown-field.tsx'
import { NumberField } from '../../components/editing/number-field.tsx'
import { TimeField } from '../../components/editing/time-field.tsx'
import { BloodMark } from '../../components/ui/blood-mark.tsx'
import type { BloodPlace } from '../../components/ui/blood-shape.ts'
import { Card } from '../../components/ui/card.tsx'
import { Field, Switch } from '../../components/ui/field.tsx'
import { Input, Select, Textarea } from '../../components/ui/input.tsx'
import { serverNow } from '../../lib/clock.ts'
import { formatDateTime, formatDuration } from '../../lib/format.ts'
import styles from './admin-game.module.css'
import { type GameFault, type GameForm, toWriteupDeadline } from './game-form.ts'
import { QuestionsCard } from './questions-card.tsx'

type SectionProps = Readonly<{
  form: GameForm
  faults: Partial<Record<keyof GameForm, GameFault>>
  /** Returns the error that the server reported for a field. */
  refusalOf: (field: keyof GameForm) => ReactNode
  set: (patch: Partial<GameForm>) => void
}>

/** Returns a function that returns the error of a field. Errors that the browser finds have priority over errors of the server. */
function useFault({ faults, refusalOf }: SectionProps) {
  const { t } = useTranslation('admin-game')
  return (field: keyof GameForm) => {
    const fault = faults[field]
    return fault ? t(`fault.${fault}`) : refusalOf(field)
  }
}

export function BasicsCard(section: SectionProps) {
  const { form, set } = section
  const { t } = useTranslation('admin-game')
  const faultOf = useFault(section)
  return (
    <Card title={t('card.basics')}>
      <div className="stack">
        <Field label={t('field.title')} error={faultOf('title')}>
          {(control) => (
            <Input
              {...control}
              value={form.title}
              maxLength={InputLimits.maxTitleLength}
              onChange={(event) => set({ title: event.target.value })}
            />
          )}
        </Field>
        <Field id="summary" label={t('field.summary')} hint={t('hint.summary')} error={faultOf('summary')} optional>
          {(control) => <Textarea {...control} value={form.summary} onChange={(event) => set({ summary: event.target.value })} />}
        </Field>
        <MarkdownField
          label={t('field.content')}
          optional
          rows={10}
          value={form.content}
          error={faultOf('content')}
          onValueChange={(content) => set({ content })}
        />
      </div>
    </Card>
  )
}

export function TimesCard(section: SectionProps) {
  const { form, set } = section
  const { t } = useTranslation('admin-game')
  const faultOf = useFault(section)
  const lasts = Date.parse(form.end) - Date.parse(form.start)
  return (
    <Card title={t('card.times')}>
      <div className="stack">
        <div className="pair">
          <TimeField
            id="start"
            label={t('field.start')}
            value={form.start}
            error={faultOf('start')}
            presets={listStartPresets(new Date(serverNow()))}
            onValueChange={(start) => set({ start })}
          />
          <TimeField
            label={t('field.end')}
            value={form.end}
            error={faultOf('end')}
            presets={listEndPresets(form.start)}
            onValueChange={(end) => set({ end })}
          />
        </div>
        <TimeField
          id="freeze"
          label={t('field.freeze')}
          optional
          value={form.freeze}
          error={faultOf('freeze')}
          onValueChange={(freeze) => set({ freeze })}
        />
        <p className="small muted">{t('hint.freeze')}</p>
        {lasts > 0 && <p className="small muted">{t('lasts', { duration: formatDuration(lasts) })}</p>}
      </div>
    </Card>
  )
}

export function RegistrationCard(section: SectionProps) {
  const { form, set } = section
  const { t } = useTranslation('admin-game')
  const faultOf = useFault(section)
  return (
    <Card title={t('card.joining')}>
      <div className="stack gap-6">
        <Switch
          id="acceptWithoutReview"
          label={t('field.acceptWithoutReview')}
          hint={t('hint.acceptWithoutReview')}
          checked={form.acceptWithoutReview}
          onCheckedChange={(acceptWithoutReview) => set({ acceptWithoutReview })}
        />
        <div className="pair">
          <Field label={t('field.inviteCode')} hint={t('hint.inviteCode')} error={faultOf('inviteCode')} optional>
            {(control) => (
              <Input
                {...control}
                className="mono"
                autoComplete="off"
                spellCheck={false}
                maxLength={Limits.maxGameCodeLength}
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
        <div className="pair">
          <TimeField
            id="registrationOpens"
            label={t('field.registrationOpens')}
            optional
            value={form.registrationOpens}
            error={faultOf('registrationOpens')}
            onValueChange={(registrationOpens) => set({ registrationOpens })}
          />
          <TimeField
            id="registrationCloses"
            label={t('field.registrationCloses')}
            optional
            value={form.registrationCloses}
            error={faultOf('registrationCloses')}
            onValueChange={(registrationCloses) => set({ registrationCloses })}
          />
        </div>
        <div className="pair">
          <NumberField
            id="teamLimit"
            label={t('field.teamLimit')}
            unit={t('unit.teams')}
            hint={t('hint.teamLimit')}
            min={0}
            value={form.teamLimit}
            error={faultOf('teamLimit')}
            onValueChange={(teamLimit) => set({ teamLimit })}
          />
        </div>
      </div>
    </Card>
  )
}

export function QuestionsSection(section: SectionProps) {
  const { form, set } = section
  const faultOf = useFault(section)
  return <QuestionsCard questions={form.questions} error={faultOf('questions')} onChange={(questions) => set({ questions })} />
}

export function WriteupsCard(section: SectionProps) {
  const { form, set } = section
  const { t } = useTranslation('admin-game')
  const faultOf = useFault(section)
  const deadline = toWriteupDeadline(form)
  return (
    <Card title={t('card.writeups')}>
      <div className="stack">
        <Switch
          id="writeupRequired"
          label={t('field.writeupRequired')}
          hint={t('hint.writeupRequired')}
          checked={form.writeupRequired}
          onCheckedChange={(writeupRequired) => set({ writeupRequired })}
        />
        {form.writeupRequired && (
          <>
            <NumberField
              id="writeupHours"
              label={t('field.writeupHours')}
              unit={t('unit.hours')}
              min={0}
              step="any"
              hint={deadline && t('hint.deadline', { at: formatDateTime(deadline), zone: timeZoneAt(deadline) })}
              value={form.writeupHours}
              error={faultOf('writeupHours')}
              onValueChange={(writeupHours) => set({ writeupHours })}
            />
            <MarkdownField
              label={t('field.writeupNote')}
              optional
              rows={4}
              value={form.writeupNote}
              error={faultOf('writeupNote')}
              onValueChange={(writeupNote) => set({ writeupNote })}
            />
          </>
        )}
      </div>
    </Card>
  )
}

export function VisibilityCard(section: SectionProps) {
  const { form, set } = section
  const { t } = useTranslation('admin-game')
  const faultOf = useFault(section)
  return (
    <Card title={t('card.playing')}>
      <div className="stack">
        <Switch
          id="hidden"
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
        <Field id="survey" label={t('field.survey')} hint={t('hint.survey')} error={faultOf('survey')}>
          {(control) => (
            <Select
              {...control}
              value={form.survey}
              onValueChange={(survey) => set({ survey })}
              options={surveyModes.map((value) => ({ value, label: t(`surveyMode.${value}`) }))}
            />
          )}
        </Field>
      </div>
    </Card>
  )
}

const bloods = ['bloodFirst', 'bloodSecond', 'bloodThird'] as const

export function ScoringCard(section: SectionProps) {
  const { form, set } = section
  const { t } = useTranslation('admin-game')
  const faultOf = useFault(section)
  return (
    <Card title={t('card.scoring')}>
      <div className="stack gap-2">
        <div className={styles.bloods}>
          {bloods.map((field, index) => (
            <NumberField
              key={field}
              label={
                <span className="inline gap-2">
                  <BloodMark place={(index + 1) as BloodPlace} />
                  {t(`field.${field}`)}
                </span>
              }
              {...(!form.bloodInPoints && { unit: '%' })}
              min={0}
              max={form.bloodInPoints ? InputLimits.maxScore : 100}
              step={form.bloodInPoints ? 1 : 0.1}
              value={form[field]}
              error={faultOf(field)}
              onValueChange={(value) => set({ [field]: value })}
            />
          ))}
        </div>
        <p className="small muted">{t('hint.blood')}</p>
        <Switch
          label={t('field.bloodInPoints')}
          hint={t('hint.bloodInPoints')}
          checked={form.bloodInPoints}
          onCheckedChange={(bloodInPoints) => set({ bloodInPoints })}
        />
        <Switch
          label={t('field.allowsDebt')}
          hint={t('hint.allowsDebt')}
          checked={form.allowsDebt}
          onCheckedChange={(allowsDebt) => set({ allowsDebt })}
        />
      </div>
    </Card>
  )
}
