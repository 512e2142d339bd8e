import type { ChallengeChange } from '@capstan/contract/challenge'
import type { Difficulty, LabeledChallenge } from '@capstan/contract/challenge-labels'
import type { ChallengeBrief, ChallengeCategory } from '@capstan/contract/challenges'
import { operations } from '@capstan/contract/operations'
import { difficulties } from '@capstan/contract/vocabulary'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { BulkActionDialog } from '../../components/editing/bulk-action-dialog.tsx'
import { TagsInput } from '../../components/editing/tags-input.tsx'
import { TimeField } from '../../components/editing/time-field.tsx'
import { categories } from '../../components/ui/category.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Select } from '../../components/ui/input.tsx'
import { serverNow } from '../../lib/clock.ts'
import { refreshCall } from '../../lib/server-state.ts'
import { listTagSuggestions, tagLimits } from './labels-card.tsx'
import { changeChallenges } from './save-challenge.ts'

export type BulkChallengeAction = 'enable' | 'disable' | 'edit' | 'schedule'

type BulkChallengeProps = Readonly<{
  gameId: number
  challenges: readonly ChallengeBrief[]
  /** Function that is called when the dialog closes. It receives the challenges for which the action succeeded. */
  onClose: (done: readonly ChallengeBrief[]) => void
}>

const naming = { keyOf: ({ id }: ChallengeBrief) => id, nameOf: ({ title }: ChallengeBrief) => title }

type EnableChallengesDialogProps = BulkChallengeProps &
  Readonly<{
    isEnabled: boolean
  }>

export function EnableChallengesDialog({ gameId, challenges, isEnabled, onClose }: EnableChallengesDialogProps) {
  const { t } = useTranslation('admin-challenges')
  return (
    <BulkActionDialog
      {...naming}
      items={challenges}
      label={(count) => t(isEnabled ? 'many.enable' : 'many.disable', { count })}
      description={t(isEnabled ? 'many.enableText' : 'many.disableText')}
      danger={!isEnabled}
      act={({ id }) => changeChallenges(gameId, [id], { enabled: isEnabled })}
      onTried={() => Promise.resolve()}
      onClose={onClose}
    />
  )
}

type EditChallengesDialogProps = BulkChallengeProps &
  Readonly<{
    /** Labels of all challenges of the game, for tag suggestions. */
    labels: readonly LabeledChallenge[]
  }>

export function EditChallengesDialog({ gameId, challenges, labels, onClose }: EditChallengesDialogProps) {
  const { t } = useTranslation(['admin-challenges', 'challenges'])
  const [category, setCategory] = useState<ChallengeCategory | ''>('')
  const [difficulty, setDifficulty] = useState<Difficulty | 'none' | ''>('')
  const [addTags, setAddTags] = useState<readonly string[]>([])
  const [removeTags, setRemoveTags] = useState<readonly string[]>([])
  const chosen = new Set(challenges.map(({ id }) => id))
  const change: ChallengeChange = {
    ...(category !== '' && { category }),
    ...(difficulty !== '' && { difficulty: difficulty === 'none' ? null : difficulty }),
    ...(addTags.length > 0 && { addTags: [...addTags] }),
    ...(removeTags.length > 0 && { removeTags: [...removeTags] }),
  }
  return (
    <BulkActionDialog
      {...naming}
      items={challenges}
      label={(count) => t('admin-challenges:many.change', { count })}
      description={t('admin-challenges:many.editText')}
      isIncomplete={Object.keys(change).length === 0}
      act={({ id }) => changeChallenges(gameId, [id], change)}
      onTried={() => Promise.resolve()}
      onClose={onClose}
    >
      <div className="stack">
        <div className="pair">
          <Field label={t('admin-challenges:field.category')}>
            {(control) => (
              <Select
                {...control}
                value={category}
                onValueChange={setCategory}
                options={[
                  { value: '', label: t('admin-challenges:many.keep') },
                  ...categories.map((value) => ({ value, label: value })),
                ]}
              />
            )}
          </Field>
          <Field label={t('admin-challenges:field.difficulty')}>
            {(control) => (
              <Select
                {...control}
                value={difficulty}
                onValueChange={setDifficulty}
                options={[
                  { value: '', label: t('admin-challenges:many.keep') },
                  { value: 'none', label: t('admin-challenges:labels.none') },
                  ...difficulties.map((value) => ({ value, label: t(`challenges:difficulty.${value}`) })),
                ]}
              />
            )}
          </Field>
        </div>
        <Field label={t('admin-challenges:many.add')}>
          {(control) => (
            <TagsInput
              control={control}
              label={t('admin-challenges:many.add')}
              tags={addTags}
              limits={tagLimits}
              suggestions={listTagSuggestions(labels, addTags)}
              onTagsChange={setAddTags}
            />
          )}
        </Field>
        <Field label={t('admin-challenges:many.take')}>
          {(control) => (
            <TagsInput
              control={control}
              label={t('admin-challenges:many.take')}
              tags={removeTags}
              limits={tagLimits}
              suggestions={listTagSuggestions(
                labels.filter(({ id }) => chosen.has(id)),
                removeTags,
              )}
              onTagsChange={setRemoveTags}
            />
          )}
        </Field>
      </div>
    </BulkActionDialog>
  )
}

/** Choices for a time: unchanged, none, now, or a given time. */
type Moment = '' | 'none' | 'now' | 'at'

function ScheduleField(
  props: Readonly<{
    kind: 'release' | 'deadline'
    moment: Moment
    at: string
    onChange: (moment: Moment, at: string) => void
  }>,
) {
  const { kind, moment, at, onChange } = props
  const { t } = useTranslation('admin-challenges')
  return (
    <div className="stack gap-2">
      <Field label={t(`field.${kind}`)}>
        {(control) => (
          <Select
            {...control}
            value={moment}
            onValueChange={(value: Moment) => onChange(value, at)}
            options={[
              { value: '', label: t('many.keep') },
              { value: 'now', label: t(`schedule.${kind}Now`) },
              { value: 'at', label: t(`schedule.${kind}At`) },
              { value: 'none', label: t(kind === 'release' ? 'schedule.atOnce' : 'schedule.untilEnd') },
            ]}
          />
        )}
      </Field>
      {moment === 'at' && <TimeField label={t('schedule.time')} value={at} onValueChange={(iso) => onChange(moment, iso)} />}
    </div>
  )
}

function instantOf(moment: Moment, at: string): number | null {
  return moment === 'none' ? null : moment === 'now' ? serverNow() : Date.parse(at)
}

/** Releases or closes challenges together: all of them or none. */
export function ScheduleChallengesDialog({ gameId, challenges, onClose }: BulkChallengeProps) {
  const { t } = useTranslation('admin-challenges')
  const [release, setRelease] = useState<Readonly<{ moment: Moment; at: string }>>({ moment: '', at: '' })
  const [deadline, setDeadline] = useState<Readonly<{ moment: Moment; at: string }>>({ moment: '', at: '' })
  const isIncomplete =
    (release.moment === '' && deadline.moment === '') ||
    [release, deadline].some(({ moment, at }) => moment === 'at' && at === '')
  const sent = useRef<Promise<unknown>>(undefined)
  const send = () =>
    changeChallenges(
      gameId,
      challenges.map(({ id }) => id),
      {
        ...(release.moment !== '' && { release: instantOf(release.moment, release.at) }),
        ...(deadline.moment !== '' && { deadline: instantOf(deadline.moment, deadline.at) }),
      },
    )
  return (
    <BulkActionDialog
      {...naming}
      items={challenges}
      label={(count) => t('many.change', { count })}
      description={t('schedule.manyText')}
      isIncomplete={isIncomplete}
      // One call changes all challenges, so all of them show the result of this call.
      act={() => (sent.current ??= send())}
      onTried={() => {
        sent.current = undefined
        return refreshCall(operations.adminListChallenges, { params: { id: gameId } })
      }}
      onClose={onClose}
    >
      <div className="pair">
        <ScheduleField kind="release" {...release} onChange={(moment, at) => setRelease({ moment, at })} />
        <ScheduleField kind="deadline" {...deadline} onChange={(moment, at) => setDeadline({ moment, at })} />
      </div>
    </BulkActionDialog>
  )
}
