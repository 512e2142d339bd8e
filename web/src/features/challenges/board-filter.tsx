import type { Difficulty } from '@capstan/contract/challenge-labels'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import { LayoutGrid, Rows3, SlidersHorizontal } from 'lucide-react'
import { type ReactNode, useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { categoryIcons } from '../../components/ui/category.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Field, Switch } from '../../components/ui/field.tsx'
import { SearchInput, Select } from '../../components/ui/input.tsx'
import { Progress } from '../../components/ui/progress.tsx'
import { SegmentedControl } from '../../components/ui/tabs.tsx'
import { ProgressWheel } from '../../components/wheel.tsx'
import { formatNumber } from '../../lib/format.ts'
import { problemKeys, type SearchProblem } from '../../lib/name-search.ts'
import styles from './board.module.css'
import { type BoardGroup, boardSorts, type listFilterChoices } from './board.ts'
import { useBoardPreferences } from './board-preferences.ts'

export type Chosen = Readonly<{
  category: ChallengeCategory | undefined
  difficulty: Difficulty | undefined
  tag: string | undefined
}>

type BoardFilterProps = Readonly<{
  /** All groups of the board, unfiltered. */
  groups: readonly BoardGroup[]
  choices: ReturnType<typeof listFilterChoices>
  chosen: Chosen
  onChoose: (chosen: Partial<Chosen>) => void
  typed: string
  onTypedChange: (typed: string) => void
  problem: SearchProblem | undefined
  /** Number of challenges that the player solved after the end of the game. Undefined before the end. */
  practicedCount: number | undefined
}>

/**
 * Filters and sort order beside the board. A phone shows only the search box above the board, and a button that opens all other
 * filters.
 */
export function BoardFilter(props: BoardFilterProps) {
  const { groups, choices, chosen, onChoose, typed, onTypedChange, problem, practicedCount } = props
  const { category } = chosen
  const { t } = useTranslation(['challenges', 'common'])
  const preferences = useBoardPreferences()
  const panel = useId()
  const [isOpen, setOpen] = useState(false)
  const chosenCount =
    [category, chosen.difficulty, chosen.tag].filter((value) => value !== undefined).length + Number(preferences.hideSolved)
  const solved = groups.reduce((sum, group) => sum + group.solved, 0)
  const total = groups.reduce((sum, group) => sum + group.total, 0)
  return (
    <aside aria-label={t('challenges:filter.label')} className={styles.filter}>
      <div className={styles.progress}>
        <span className="line small">
          <ProgressWheel size={22} share={total === 0 ? 0 : solved / total} notches={solved} />
          {t('challenges:filter.solvedOf', { solved: formatNumber(solved), total: formatNumber(total) })}
        </span>
        <Progress label={t('challenges:filter.progress')} value={total === 0 ? 0 : solved / total} tone="ok" />
        {practicedCount !== undefined && (
          <span className="muted small">
            {t('challenges:filter.practicedOf', { practiced: formatNumber(practicedCount), total: formatNumber(total) })}
          </span>
        )}
      </div>
      <div className={styles.searchLine}>
        <SearchInput
          label={t('challenges:filter.search')}
          value={typed}
          onValueChange={onTypedChange}
          error={problem && t(problemKeys[problem])}
          title={t('challenges:filter.searchHint')}
        />
        <Button className={styles.more} aria-expanded={isOpen} aria-controls={panel} onClick={() => setOpen(!isOpen)}>
          <SlidersHorizontal aria-hidden />
          {t('challenges:filter.open')}
          {chosenCount > 0 && (
            <span className="pill">
              <span aria-hidden>{formatNumber(chosenCount)}</span>
              <span className="visually-hidden">{t('challenges:filter.chosen', { count: chosenCount })}</span>
            </span>
          )}
        </Button>
      </div>
      <div id={panel} className={cx('stack', styles.panel)} data-open={isOpen}>
        <nav aria-label={t('challenges:filter.categories')} className={cx('stack gap-0', styles.categories)}>
          <CategoryButton
            label={t('challenges:filter.all')}
            solved={solved}
            total={total}
            isChosen={category === undefined}
            onChoose={() => onChoose({ category: undefined })}
          />
          {groups.map((group) => (
            <CategoryButton
              key={group.category}
              category={group.category}
              label={group.category}
              solved={group.solved}
              total={group.total}
              isChosen={category === group.category}
              onChoose={() => onChoose({ category: category === group.category ? undefined : group.category })}
            />
          ))}
        </nav>
        <div className={cx('stack ruled', styles.options)}>
          <Switch
            label={t('challenges:filter.hideSolved')}
            checked={preferences.hideSolved}
            onCheckedChange={preferences.setHideSolved}
          />
          <SegmentedControl
            label={t('challenges:filter.view')}
            value={preferences.view}
            onValueChange={preferences.chooseView}
            options={[
              { value: 'cards', label: <ViewLabel icon={<LayoutGrid aria-hidden />} text={t('challenges:filter.cards')} /> },
              { value: 'table', label: <ViewLabel icon={<Rows3 aria-hidden />} text={t('challenges:filter.table')} /> },
            ]}
          />
          <Field label={t('challenges:filter.sort')}>
            {(control) => (
              <Select
                {...control}
                value={preferences.sort}
                onValueChange={preferences.chooseSort}
                options={boardSorts
                  .filter((value) => value !== 'difficulty' || value === preferences.sort || choices.difficulties.length > 0)
                  .map((value) => ({ value, label: t(`challenges:filter.sortBy.${value}`) }))}
              />
            )}
          </Field>
          <LabelChoice
            label={t('challenges:filter.difficulty')}
            any={t('challenges:filter.anyDifficulty')}
            value={chosen.difficulty}
            values={choices.difficulties}
            nameOf={(value) => t(`challenges:difficulty.${value}`)}
            onChange={(difficulty) => onChoose({ difficulty })}
          />
          <LabelChoice
            label={t('challenges:filter.tag')}
            any={t('challenges:filter.anyTag')}
            value={chosen.tag}
            values={choices.tags}
            onChange={(tag) => onChoose({ tag })}
          />
        </div>
      </div>
    </aside>
  )
}

type LabelChoiceProps<Value extends string> = Readonly<{
  label: string
  any: string
  value: Value | undefined
  values: readonly Value[]
  nameOf?: (value: Value) => string
  onChange: (value: Value | undefined) => void
}>

/**
 * Select for a difficulty or a tag. If the address contains an unknown value, the select also offers this value, so that users can
 * clear it. Renders nothing if there are no values.
 */
function LabelChoice<Value extends string>({ label, any, value, values, nameOf = String, onChange }: LabelChoiceProps<Value>) {
  const offered = value === undefined || values.includes(value) ? values : [...values, value]
  if (offered.length === 0) return null
  return (
    <Field label={label}>
      {(control) => (
        <Select<Value | ''>
          {...control}
          value={value ?? ''}
          onValueChange={(chosen) => onChange(chosen || undefined)}
          options={[{ value: '', label: any }, ...offered.map((each) => ({ value: each, label: nameOf(each) }))]}
        />
      )}
    </Field>
  )
}

function ViewLabel({ icon, text }: Readonly<{ icon: ReactNode; text: string }>) {
  return (
    <span className={styles.viewLabel}>
      {icon}
      <span className={styles.viewText}>{text}</span>
    </span>
  )
}

type CategoryButtonProps = Readonly<{
  category?: ChallengeCategory
  label: string
  solved: number
  total: number
  isChosen: boolean
  onChoose: () => void
}>

function CategoryButton({ category, label, solved, total, isChosen, onChoose }: CategoryButtonProps) {
  const { t } = useTranslation('challenges')
  const Icon = category ? categoryIcons[category] : LayoutGrid
  return (
    <button
      type="button"
      data-category={category}
      aria-pressed={isChosen}
      className={cx('line muted option', styles.category)}
      onClick={onChoose}
    >
      <Icon aria-hidden />
      <span className="truncate">{label}</span>
      <span className="end muted tiny number" data-done={solved === total || undefined}>
        <span aria-hidden>
          {formatNumber(solved)}/{formatNumber(total)}
        </span>
        <span className="visually-hidden">{t('filter.solvedOf', { solved, total })}</span>
      </span>
    </button>
  )
}
