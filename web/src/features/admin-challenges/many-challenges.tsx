import type { ChallengeLabels, Difficulty, LabeledChallenge } from '@capstan/contract/challenge-labels'
import type { ChallengeBrief, ChallengeCategory } from '@capstan/contract/challenges'
import { operations, ownOperations } from '@capstan/contract/operations'
import { tagKey, tidyTags } from '@capstan/contract/tags'
import { difficulties } from '@capstan/contract/vocabulary'
import { useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ManyDialog } from '../../components/editing/many-dialog.tsx'
import { TagsInput } from '../../components/editing/tags-input.tsx'
import { categories } from '../../components/ui/category.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Select } from '../../components/ui/input.tsx'
import { call } from '../../lib/http.ts'
import { refresh } from '../../lib/server-state.ts'
import { suggestionsFor, tagLimits } from './labels-card.tsx'
import { showStored } from './use-enabled.ts'

export type ManyChallenges = 'enable' | 'disable' | 'edit'

type ManyChallengesProps = Readonly<{
  gameId: number
  challenges: readonly ChallengeBrief[]
  /** Called with the challenges that succeeded. */
  onClose: (done: readonly ChallengeBrief[]) => void
}>

const naming = { keyOf: ({ id }: ChallengeBrief) => id, nameOf: ({ title }: ChallengeBrief) => title }

type SwitchManyProps = ManyChallengesProps &
  Readonly<{
    isEnabled: boolean
  }>

export function SwitchMany({ gameId, challenges, isEnabled, onClose }: SwitchManyProps) {
  const { t } = useTranslation('admin-challenges')
  return (
    <ManyDialog
      {...naming}
      items={challenges}
      label={(count) => t(isEnabled ? 'many.enable' : 'many.disable', { count })}
      description={t(isEnabled ? 'many.enableText' : 'many.disableText')}
      danger={!isEnabled}
      act={async ({ id }) => {
        const params = { id: gameId, cid: id }
        await showStored(gameId, await call(operations.updateChallenge, { params, body: { isEnabled } }))
      }}
      onTried={() => Promise.resolve()}
      onClose={onClose}
    />
  )
}

/** Label changes. Empty fields remain unchanged. */
export type LabelChanges = Readonly<{
  difficulty: Difficulty | 'none' | ''
  add: readonly string[]
  take: readonly string[]
}>

/** Returns the changed labels, or the same object if nothing changes. */
export function changedLabels(labels: ChallengeLabels, { difficulty, add, take }: LabelChanges): ChallengeLabels {
  const taken = new Set(take.map(tagKey))
  const tags = tidyTags([...labels.tags.filter((tag) => !taken.has(tagKey(tag))), ...add])
  const wanted = difficulty === '' ? labels.difficulty : difficulty === 'none' ? null : difficulty
  const isSame = wanted === labels.difficulty && tags.join('\n') === labels.tags.join('\n')
  return isSame ? labels : { tags, difficulty: wanted }
}

type EditManyProps = ManyChallengesProps &
  Readonly<{
    /** Labels of the game's challenges, for tag suggestions. */
    labels: readonly LabeledChallenge[]
  }>

export function EditMany({ gameId, challenges, labels, onClose }: EditManyProps) {
  const { t } = useTranslation(['admin-challenges', 'challenges'])
  const [category, setCategory] = useState<ChallengeCategory | ''>('')
  const [changes, setChanges] = useState<LabelChanges>({ difficulty: '', add: [], take: [] })
  const chosen = new Set(challenges.map(({ id }) => id))
  const patch = (change: Partial<LabelChanges>) => setChanges((known) => ({ ...known, ...change }))
  const { difficulty, add, take } = changes
  const isLabeling = difficulty !== '' || add.length > 0 || take.length > 0
  const readInRun = useRef<Promise<readonly LabeledChallenge[]>>(undefined)
  /** Reads the labels once per run. After a failure the next item reads again. */
  const readLabels = () => {
    readInRun.current ??= call(ownOperations.listChallengeLabels, { params: { id: gameId } }).catch((error: unknown) => {
      readInRun.current = undefined
      throw error
    })
    return readInRun.current
  }
  /** @throws Error if the challenge was deleted */
  const readOwnLabels = async (id: number): Promise<ChallengeLabels> => {
    const own = (await readLabels()).find((each) => each.id === id)
    if (!own) throw new Error(t('admin-challenges:many.unknown'))
    return own
  }
  return (
    <ManyDialog
      {...naming}
      items={challenges}
      label={(count) => t('admin-challenges:many.change', { count })}
      description={t('admin-challenges:many.editText')}
      isIncomplete={category === '' && !isLabeling}
      act={async ({ id, category: own }) => {
        const params = { id: gameId, cid: id }
        const before = isLabeling ? await readOwnLabels(id) : undefined
        if (category !== '' && category !== own)
          await showStored(gameId, await call(operations.updateChallenge, { params, body: { category } }))
        const after = before && changedLabels(before, changes)
        if (after && after !== before) await call(ownOperations.setChallengeLabels, { params, body: after })
      }}
      onTried={() => {
        readInRun.current = undefined
        return refresh(ownOperations.listChallengeLabels, { params: { id: gameId } })
      }}
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
                onValueChange={(value: LabelChanges['difficulty']) => patch({ difficulty: value })}
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
              tags={add}
              limits={tagLimits}
              suggestions={suggestionsFor(labels, add)}
              onTagsChange={(tags) => patch({ add: tags })}
            />
          )}
        </Field>
        <Field label={t('admin-challenges:many.take')}>
          {(control) => (
            <TagsInput
              control={control}
              label={t('admin-challenges:many.take')}
              tags={take}
              limits={tagLimits}
              suggestions={suggestionsFor(
                labels.filter(({ id }) => chosen.has(id)),
                take,
              )}
              onTagsChange={(tags) => patch({ take: tags })}
            />
          )}
        </Field>
      </div>
    </ManyDialog>
  )
}
