import type { Difficulty, LabeledChallenge } from '@capstan/contract/challenge-labels'
import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { normalizedTagKey } from '@capstan/contract/tags'
import { difficulties } from '@capstan/contract/vocabulary'
import { useTranslation } from 'react-i18next'
import { TagsInput } from '../../components/editing/tags-input.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Select } from '../../components/ui/input.tsx'
import { useCall } from '../../lib/server-state.ts'
import styles from './labels-card.module.css'
import type { SectionProps } from './sections.tsx'

type LabelsCardProps = Pick<SectionProps, 'form' | 'set'> &
  Readonly<{
    gameId: number
  }>

export function useChallengeLabels(gameId: number) {
  return useCall(ownOperations.listChallengeLabels, { params: { id: gameId } })
}

export const tagLimits = { most: Limits.maxChallengeTags, longest: Limits.maxChallengeTagLength }

/** Returns the tags of other challenges that this challenge lacks, most frequent first. @param own tags of this challenge */
export function listTagSuggestions(challenges: readonly LabeledChallenge[], own: readonly string[]): string[] {
  const known = new Set(own.map(normalizedTagKey))
  const used = Map.groupBy(
    challenges.flatMap(({ tags }) => tags).filter((tag) => !known.has(normalizedTagKey(tag))),
    normalizedTagKey,
  )
  return [...used.values()].toSorted((one, other) => other.length - one.length).flatMap(([tag]) => tag ?? [])
}

export function LabelsCard({ gameId, form: { tags, difficulty }, set }: LabelsCardProps) {
  const { t } = useTranslation(['admin-challenges', 'challenges'])
  const { data = [] } = useChallengeLabels(gameId)
  return (
    <Card title={t('admin-challenges:card.labels')}>
      <div className="stack">
        <p className="small muted">{t('admin-challenges:labels.text')}</p>
        <div className={styles.fields}>
          <Field label={t('admin-challenges:field.difficulty')}>
            {(control) => (
              <Select
                {...control}
                value={difficulty ?? ''}
                onValueChange={(value: Difficulty | '') => set({ difficulty: value === '' ? null : value })}
                options={[
                  { value: '', label: t('admin-challenges:labels.none') },
                  ...difficulties.map((value) => ({ value, label: t(`challenges:difficulty.${value}`) })),
                ]}
              />
            )}
          </Field>
          <Field
            label={t('admin-challenges:field.tags')}
            hint={t('admin-challenges:labels.hint', { most: Limits.maxChallengeTags })}
          >
            {(control) => (
              <TagsInput
                control={control}
                label={t('admin-challenges:labels.chosen')}
                tags={tags}
                limits={tagLimits}
                suggestions={listTagSuggestions(data, tags)}
                onTagsChange={(changed) => set({ tags: changed })}
              />
            )}
          </Field>
        </div>
      </div>
    </Card>
  )
}
