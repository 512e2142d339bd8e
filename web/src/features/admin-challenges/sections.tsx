import { InputLimits, Limits } from '@capstan/contract/limits'
import { type CurveName, curveNames, minimumValue } from '@capstan/contract/score'
import { useTranslation } from 'react-i18next'
import { MarkdownArea } from '../../components/editing/markdown-area.tsx'
import { NumberField } from '../../components/editing/number-field.tsx'
import { TimeField } from '../../components/editing/time-field.tsx'
import { Card } from '../../components/ui/card.tsx'
import { categories } from '../../components/ui/category.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Field, Switch } from '../../components/ui/field.tsx'
import { Input, Select } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { formatNumber } from '../../lib/format.ts'
import { type ChallengeFault, type ChallengeForm, toScoreCurve } from './challenge-form.ts'
import styles from './editor.module.css'
import { HintsEditor } from './hints-editor.tsx'
import { ScoreChart } from './score-chart.tsx'

export type SectionProps = Readonly<{
  form: ChallengeForm
  faults: Partial<Record<keyof ChallengeForm, ChallengeFault>>
  /** Field that the server refused, with the error. */
  refusal: Readonly<{ field: keyof ChallengeForm; error: unknown }> | undefined
  set: (patch: Partial<ChallengeForm>) => void
}>

export function useFieldFault({ faults, refusal }: Pick<SectionProps, 'faults' | 'refusal'>) {
  const { t } = useTranslation('admin-challenges')
  return (field: keyof ChallengeForm) => {
    const fault = faults[field]
    return fault ? t(`fault.${fault}`) : refusal?.field === field && <ErrorText error={refusal.error} />
  }
}

export function ChallengeTextCard({ form, faults, refusal, set }: SectionProps) {
  const { t } = useTranslation('admin-challenges')
  const { t: tEditing } = useTranslation('editing')
  const faultOf = useFieldFault({ faults, refusal })
  return (
    <Card title={t('section.about')}>
      <div className="stack">
        <div className={styles.head}>
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
          <Field label={t('field.category')}>
            {(control) => (
              <Select
                {...control}
                value={form.category}
                onValueChange={(category) => set({ category })}
                options={categories.map((value) => ({ value, label: value }))}
              />
            )}
          </Field>
        </div>
        <Field id="description" label={t('field.description')} hint={tEditing('markdownHint')} error={faultOf('description')}>
          {(control) => (
            <MarkdownArea
              {...control}
              rows={12}
              className={cx('code', styles.source)}
              value={form.description}
              onValueChange={(description) => set({ description })}
            />
          )}
        </Field>
      </div>
    </Card>
  )
}

export function HintsCard({ form, set }: Pick<SectionProps, 'form' | 'set'>) {
  const { t } = useTranslation('admin-challenges')
  return (
    <Card title={t('card.hints')}>
      <HintsEditor hints={form.hints} onChange={(hints) => set({ hints })} />
    </Card>
  )
}

type ScoreCardProps = SectionProps &
  Readonly<{
    solvers: number
  }>

export function ScoreCard({ form, faults, refusal, set, solvers }: ScoreCardProps) {
  const { t } = useTranslation('admin-challenges')
  const faultOf = useFieldFault({ faults, refusal })
  const curve = toScoreCurve(form)
  const falls = form.curve !== 'static'
  const decayLabels: Partial<Record<CurveName, string>> = {
    exponential: t('field.decay'),
    linear: t('decay.linear'),
    parabola: t('decay.parabola'),
  }
  // An invalid decay value prevents saving. In this case show the decay field, even if the selected curve has no decay.
  const decayLabel = decayLabels[form.curve] ?? (faults.decay && t('field.decay'))
  const isDrawable = !faults.points && !faults.minimumPercent && !faults.decay
  return (
    <Card title={t('card.score')}>
      <div className="stack">
        <Field label={t('field.curve')} hint={t(`curveHint.${form.curve}`)}>
          {(control) => (
            <Select
              {...control}
              value={form.curve}
              onValueChange={(name) => set({ curve: name })}
              options={curveNames.map((value) => ({ value, label: t(`curveName.${value}`) }))}
            />
          )}
        </Field>
        <div className={styles.triple}>
          <NumberField
            label={t('field.points')}
            unit={t('unit.points')}
            min={0}
            max={InputLimits.maxScore}
            value={form.points}
            error={faultOf('points')}
            onValueChange={(points) => set({ points })}
          />
          {(falls || faults.minimumPercent) && (
            <NumberField
              label={t('field.minimumPercent')}
              unit="%"
              min={0}
              max={100}
              step="any"
              hint={isDrawable && t('hint.floor', { points: formatNumber(minimumValue(curve)) })}
              value={form.minimumPercent}
              error={faultOf('minimumPercent')}
              onValueChange={(minimumPercent) => set({ minimumPercent })}
            />
          )}
          {decayLabel && (
            <NumberField
              label={decayLabel}
              min={0}
              step="any"
              {...(form.curve === 'exponential' && { hint: t('hint.decay') })}
              max={InputLimits.maxDecay}
              value={form.decay}
              error={faultOf('decay')}
              onValueChange={(decay) => set({ decay })}
            />
          )}
        </div>
        {isDrawable && <ScoreChart curve={curve} solvers={solvers} />}
        {falls && (
          <Switch
            label={t('field.isValueFixed')}
            hint={t('hint.isValueFixed')}
            checked={form.isValueFixed}
            onCheckedChange={(isValueFixed) => set({ isValueFixed })}
          />
        )}
        <Switch
          label={t('field.bloods')}
          hint={t('hint.bloods')}
          checked={form.bloods}
          onCheckedChange={(bloods) => set({ bloods })}
        />
      </div>
    </Card>
  )
}

export function ScheduleCard({ form, faults, refusal, set }: SectionProps) {
  const { t } = useTranslation('admin-challenges')
  const faultOf = useFieldFault({ faults, refusal })
  return (
    <Card title={t('card.schedule')}>
      <div className="stack">
        <p className="muted small">{t('hint.schedule')}</p>
        <div className={styles.triple}>
          <TimeField
            label={t('field.release')}
            value={form.release}
            error={faultOf('release')}
            presets={[{ label: t('schedule.atOnce'), at: '' }]}
            onValueChange={(release) => set({ release })}
          />
          <TimeField
            label={t('field.deadline')}
            value={form.deadline}
            error={faultOf('deadline')}
            presets={[{ label: t('schedule.untilEnd'), at: '' }]}
            onValueChange={(deadline) => set({ deadline })}
          />
        </div>
      </div>
    </Card>
  )
}

export function AttemptsCard({ form, faults, refusal, set }: SectionProps) {
  const { t } = useTranslation('admin-challenges')
  const faultOf = useFieldFault({ faults, refusal })
  return (
    <Card title={t('card.attempts')}>
      <div className={styles.triple}>
        <NumberField
          label={t('field.submissionLimit')}
          min={0}
          max={Limits.maxSubmissionLimit}
          hint={t('hint.submissionLimit')}
          value={form.submissionLimit}
          error={faultOf('submissionLimit')}
          onValueChange={(submissionLimit) => set({ submissionLimit })}
        />
        <NumberField
          label={t('field.cooldownSeconds')}
          unit={t('unit.seconds')}
          min={0}
          max={Limits.maxCooldownSeconds}
          hint={t('hint.cooldownSeconds')}
          value={form.cooldownSeconds}
          error={faultOf('cooldownSeconds')}
          onValueChange={(cooldownSeconds) => set({ cooldownSeconds })}
        />
      </div>
    </Card>
  )
}
