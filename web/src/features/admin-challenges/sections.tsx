import { InputLimits, InstanceLimits } from '@capstan/contract/limits'
import { useTranslation } from 'react-i18next'
import { MarkdownArea } from '../../components/editing/markdown-area.tsx'
import { NumberField } from '../../components/editing/number-field.tsx'
import { Card } from '../../components/ui/card.tsx'
import { categories } from '../../components/ui/category.tsx'
import { Field, Switch } from '../../components/ui/field.tsx'
import { Input, Select } from '../../components/ui/input.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { formatNumber } from '../../lib/format.ts'
import type { ChallengeFault, ChallengeForm } from './challenge-form.ts'
import styles from './editor.module.css'
import { HintsEditor } from './hints-editor.tsx'
import { ScoreChart } from './score-chart.tsx'

export type SectionProps = Readonly<{
  form: ChallengeForm
  faults: Partial<Record<keyof ChallengeForm, ChallengeFault>>
  /** Field that the server refused, with its error. */
  refusal: { readonly field: keyof ChallengeForm; readonly error: unknown } | undefined
  set: (patch: Partial<ChallengeForm>) => void
}>

/** Returns the text for the fault of a field. */
export function useFault({ faults, refusal }: Pick<SectionProps, 'faults' | 'refusal'>) {
  const { t } = useTranslation('admin-challenges')
  return (field: keyof ChallengeForm) => {
    const fault = faults[field]
    return fault ? t(`fault.${fault}`) : refusal?.field === field && <ErrorText error={refusal.error} />
  }
}

export function TextCard({ form, faults, refusal, set }: SectionProps) {
  const { t } = useTranslation('admin-challenges')
  const { t: tEditing } = useTranslation('editing')
  const faultOf = useFault({ faults, refusal })
  return (
    <Card title={t('section.about')}>
      <div className="stack">
        <div className={styles.head}>
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
        <Field id="description" label={t('field.content')} hint={tEditing('markdownHint')} error={faultOf('content')}>
          {(control) => (
            <MarkdownArea
              {...control}
              rows={12}
              className={styles.source}
              value={form.content}
              onValueChange={(content) => set({ content })}
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
  const faultOf = useFault({ faults, refusal })
  const curve = {
    originalScore: Number(form.originalScore),
    minScoreRate: Number(form.minScorePercent) / 100,
    difficulty: Number(form.difficulty),
  }
  const isDrawable = !faults.originalScore && !faults.minScorePercent && !faults.difficulty
  return (
    <Card title={t('card.score')}>
      <div className="stack">
        <div className={styles.triple}>
          <NumberField
            label={t('field.originalScore')}
            unit={t('unit.points')}
            min={0}
            max={InputLimits.scoreMax}
            value={form.originalScore}
            error={faultOf('originalScore')}
            onValueChange={(originalScore) => set({ originalScore })}
          />
          <NumberField
            label={t('field.minScorePercent')}
            unit="%"
            min={0}
            max={100}
            step="any"
            hint={isDrawable && t('hint.floor', { points: formatNumber(Math.floor(curve.originalScore * curve.minScoreRate)) })}
            value={form.minScorePercent}
            error={faultOf('minScorePercent')}
            onValueChange={(minScorePercent) => set({ minScorePercent })}
          />
          <NumberField
            label={t('field.difficulty')}
            min={0}
            step="any"
            hint={t('hint.difficulty')}
            max={InputLimits.difficultyMax}
            value={form.difficulty}
            error={faultOf('difficulty')}
            onValueChange={(difficulty) => set({ difficulty })}
          />
        </div>
        {isDrawable && <ScoreChart curve={curve} solvers={solvers} />}
      </div>
    </Card>
  )
}

export function ContainerCard({ form, faults, refusal, set }: SectionProps) {
  const { t } = useTranslation('admin-challenges')
  const faultOf = useFault({ faults, refusal })
  const cores = Number(form.cpuCount) / 10
  return (
    <Card title={t('card.container')}>
      <div className="stack">
        <div className={styles.image}>
          <Field id="containerImage" label={t('field.containerImage')} hint={t('hint.image')} error={faultOf('containerImage')}>
            {(control) => (
              <Input
                {...control}
                className="mono"
                autoComplete="off"
                spellCheck={false}
                placeholder="registry.example/challenge:1"
                value={form.containerImage}
                maxLength={InputLimits.imageNameMaxLength}
                onChange={(event) => set({ containerImage: event.target.value })}
              />
            )}
          </Field>
          <NumberField
            label={t('field.containerExposePort')}
            min={InstanceLimits.portMin}
            max={InstanceLimits.portMax}
            value={form.containerExposePort}
            error={faultOf('containerExposePort')}
            onValueChange={(containerExposePort) => set({ containerExposePort })}
          />
        </div>
        <div className={styles.triple}>
          <NumberField
            label={t('field.cpuCount')}
            unit={t('unit.cpu')}
            min={InstanceLimits.cpuTenthsMin}
            hint={!faults.cpuCount && t('hint.cores', { count: cores })}
            value={form.cpuCount}
            error={faultOf('cpuCount')}
            onValueChange={(cpuCount) => set({ cpuCount })}
          />
          <NumberField
            label={t('field.memoryLimit')}
            unit={t('unit.mb')}
            min={InstanceLimits.memoryMbMin}
            value={form.memoryLimit}
            error={faultOf('memoryLimit')}
            onValueChange={(memoryLimit) => set({ memoryLimit })}
          />
          <NumberField
            label={t('field.storageLimit')}
            unit={t('unit.mb')}
            min={InstanceLimits.storageMbMin}
            value={form.storageLimit}
            error={faultOf('storageLimit')}
            onValueChange={(storageLimit) => set({ storageLimit })}
          />
        </div>
        <Switch
          label={t('field.enableTrafficCapture')}
          hint={t('hint.enableTrafficCapture')}
          checked={form.enableTrafficCapture}
          onCheckedChange={(enableTrafficCapture) => set({ enableTrafficCapture })}
        />
      </div>
    </Card>
  )
}
