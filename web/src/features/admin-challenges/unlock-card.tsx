import type { ChallengeBrief } from '@capstan/contract/challenges'
import { InputLimits, Limits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import { lockedViews } from '@capstan/contract/vocabulary'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { NumberField } from '../../components/editing/number-field.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Checkbox, Field, FieldError } from '../../components/ui/field.tsx'
import { SearchInput, Select } from '../../components/ui/input.tsx'
import { ApiError } from '../../lib/http.ts'
import { useCall } from '../../lib/server-state.ts'
import type { TypedUnlock } from './challenge-form.ts'
import styles from './editor.module.css'
import { type SectionProps, useFieldFault } from './sections.tsx'

type UnlockCardProps = SectionProps &
  Readonly<{
    gameId: number
    challengeId: number
  }>

/** Editor for the condition under which a team unlocks the challenge. */
export function UnlockCard({ gameId, challengeId, form: { unlock }, faults, refusal, set }: UnlockCardProps) {
  const { t } = useTranslation('admin-challenges')
  const faultOf = useFieldFault({ faults, refusal })
  const label = useId()
  const detail = refusal?.field === 'unlock' && refusal.error instanceof ApiError ? refusal.error.detail : undefined
  const error = faultOf('unlock')
  const change = (patch: Partial<TypedUnlock>) => set({ unlock: { ...unlock, ...patch } })
  return (
    <Card title={t('card.unlock')}>
      <div className="stack">
        <p className="muted small">{t('unlock.text')}</p>
        <div className="stack gap-2">
          <h3 id={label} className="line baseline size-14">
            {t('unlock.prerequisites')}
            {unlock.after.length > 0 && <span className="muted small">{t('unlock.chosen', { count: unlock.after.length })}</span>}
          </h3>
          <Prerequisites
            gameId={gameId}
            challengeId={challengeId}
            labelId={label}
            chosen={unlock.after}
            onChange={(after) => change({ after })}
          />
        </div>
        <div className={styles.triple}>
          <NumberField
            label={t('unlock.count')}
            min={1}
            max={Math.max(1, unlock.after.length)}
            hint={t('unlock.countHint')}
            value={unlock.count}
            disabled={unlock.after.length < 2}
            onValueChange={(count) => change({ count })}
          />
          <NumberField
            label={t('unlock.points')}
            unit={t('unit.points')}
            min={1}
            max={InputLimits.maxScore}
            hint={t('unlock.pointsHint')}
            value={unlock.points}
            onValueChange={(points) => change({ points })}
          />
          <Field label={t('unlock.locked')}>
            {(control) => (
              <Select
                {...control}
                value={unlock.locked}
                onValueChange={(locked) => change({ locked })}
                options={lockedViews.map((value) => ({ value, label: t(`unlock.lockedAs.${value}`) }))}
              />
            )}
          </Field>
        </div>
        <FieldError>
          {error && (
            <>
              {error} {detail}
            </>
          )}
        </FieldError>
      </div>
    </Card>
  )
}

type PrerequisitesProps = Readonly<{
  gameId: number
  challengeId: number
  labelId: string
  chosen: readonly number[]
  onChange: (chosen: number[]) => void
}>

function Prerequisites({ gameId, challengeId, labelId, chosen, onChange }: PrerequisitesProps) {
  const { t } = useTranslation('admin-challenges')
  const { data } = useCall(operations.adminListChallenges, { params: { id: gameId } })
  const [typed, setTyped] = useState('')
  if (!data) return null
  const others = data.filter(({ id }) => id !== challengeId)
  if (others.length === 0) return <p className="muted small">{t('unlock.none')}</p>
  const wanted = typed.trim().toLowerCase()
  const isFound = ({ title, category }: ChallengeBrief) => `${title}\n${category}`.toLowerCase().includes(wanted)
  const shown = others.filter(isFound)
  const isFull = chosen.length >= Limits.maxPrerequisites
  return (
    <>
      <SearchInput label={t('unlock.search')} value={typed} onValueChange={setTyped} />
      {/* biome-ignore lint/a11y/useSemanticElements: the heading above already names the group, and a legend would repeat the name */}
      <div role="group" aria-labelledby={labelId} className={cx('box', styles.pick)}>
        {shown.map(({ id, title, category, isEnabled }) => (
          <Checkbox
            key={id}
            label={
              <>
                <bdi>{title}</bdi>{' '}
                <span className="muted small">{[category, ...(isEnabled ? [] : [t('unlock.off')])].join(' · ')}</span>
              </>
            }
            checked={chosen.includes(id)}
            disabled={isFull && !chosen.includes(id)}
            onCheckedChange={(isOn) => onChange(isOn ? [...chosen, id] : chosen.filter((other) => other !== id))}
          />
        ))}
        {shown.length === 0 && <p className="muted small">{t('unlock.noMatch')}</p>}
      </div>
    </>
  )
}
