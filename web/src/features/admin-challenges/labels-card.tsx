import type { ChallengeLabels, Difficulty, LabeledChallenge } from '@capstan/contract/challenge-labels'
import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { tagKey, tidyTags } from '@capstan/contract/tags'
import { difficulties } from '@capstan/contract/vocabulary'
import { useEffect, useRef } from 'react'
import { useTranslation } from 'react-i18next'
import { TagsInput } from '../../components/editing/tags-input.tsx'
import { Alert } from '../../components/ui/badge.tsx'
import { Card } from '../../components/ui/card.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Select } from '../../components/ui/input.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { ErrorState, ErrorText } from '../../components/ui/states.tsx'
import { call } from '../../lib/http.ts'
import { refresh, setCallData, useCall } from '../../lib/server-state.ts'
import styles from './labels-card.module.css'
import { useQueue } from './use-queue.ts'

type LabelsCardProps = Readonly<{
  gameId: number
  challengeId: number
}>

/** Returns the labels of a game's challenges. */
export function useLabels(gameId: number) {
  return useCall(ownOperations.listChallengeLabels, { params: { id: gameId } })
}

export const tagLimits = { most: Limits.challengeTagsMax, longest: Limits.challengeTagMaxLength }

/** Returns tags that other challenges have and this one lacks, the most frequent first. */
export function suggestionsFor(challenges: readonly LabeledChallenge[], own: readonly string[]): string[] {
  const known = new Set(own.map(tagKey))
  const used = Map.groupBy(
    challenges.flatMap(({ tags }) => tags).filter((tag) => !known.has(tagKey(tag))),
    tagKey,
  )
  return [...used.values()].toSorted((one, other) => other.length - one.length).flatMap(([tag]) => tag ?? [])
}

/** Tags and difficulty, which help players choose a challenge. Each change is stored immediately. */
export function LabelsCard({ gameId, challengeId }: LabelsCardProps) {
  const { t } = useTranslation(['admin-challenges', 'challenges'])
  const { data, error, mutate } = useLabels(gameId)
  const labels = data?.find(({ id }) => id === challengeId)
  const latest = useRef<ChallengeLabels>(undefined)
  latest.current = labels
  const { add, failure } = useQueue()
  const address = [ownOperations.listChallengeLabels, { params: { id: gameId } }] as const
  const isNewer = data !== undefined && labels === undefined
  // The cached list lacks a challenge that was created later.
  useEffect(() => {
    if (isNewer) void mutate()
  }, [isNewer, mutate])

  /** Changes are shown immediately and stored in sequence, so that the last one wins. */
  const change = (patch: Partial<ChallengeLabels>) => {
    if (!latest.current) return
    const { tags, difficulty } = { ...latest.current, ...patch }
    const wanted = { tags: tidyTags(tags), difficulty }
    latest.current = wanted
    void setCallData([...address], (known) =>
      known?.map((each) => (each.id === challengeId ? { id: challengeId, ...wanted } : each)),
    )
    add(
      () => call(ownOperations.setChallengeLabels, { params: { id: gameId, cid: challengeId }, body: wanted }),
      () => refresh(...address),
    )
  }
  return (
    <Card title={t('admin-challenges:card.labels')}>
      {!labels && (error ? <ErrorState error={error} onRetry={() => mutate()} /> : <Skeleton height="96px" />)}
      {labels && data && (
        <div className="stack">
          <p className="small muted">{t('admin-challenges:labels.text')}</p>
          <div className={styles.fields}>
            <Field label={t('admin-challenges:labels.difficulty')}>
              {(control) => (
                <Select
                  {...control}
                  value={labels.difficulty ?? ''}
                  onValueChange={(value: Difficulty | '') => change({ difficulty: value === '' ? null : value })}
                  options={[
                    { value: '', label: t('admin-challenges:labels.none') },
                    ...difficulties.map((value) => ({ value, label: t(`challenges:difficulty.${value}`) })),
                  ]}
                />
              )}
            </Field>
            <Field
              label={t('admin-challenges:labels.tags')}
              hint={t('admin-challenges:labels.hint', { most: Limits.challengeTagsMax })}
            >
              {(control) => (
                <TagsInput
                  control={control}
                  label={t('admin-challenges:labels.chosen')}
                  tags={labels.tags}
                  limits={tagLimits}
                  suggestions={suggestionsFor(data, labels.tags)}
                  onTagsChange={(tags) => change({ tags })}
                />
              )}
            </Field>
          </div>
          {failure !== undefined && (
            <Alert tone="bad">
              <ErrorText error={failure} />
            </Alert>
          )}
        </div>
      )}
    </Card>
  )
}
