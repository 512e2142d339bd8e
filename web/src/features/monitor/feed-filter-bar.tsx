import { InputLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { CalendarClock } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { TimeField } from '../../components/editing/time-field.tsx'
import { Button } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { SearchInput, Select } from '../../components/ui/input.tsx'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import { useCall } from '../../lib/server-state.ts'
import styles from './monitor.module.css'
import type { FeedFilters } from './use-feed.ts'

type FeedFilterBarProps = Readonly<{
  gameId: number
  filters: FeedFilters
  searchLabel: string
  searchHint: string
  children?: ReactNode
  end?: ReactNode
}>

const rarely = { refreshInterval: 60_000 }

export function FeedFilterBar({ gameId, filters, searchLabel, searchHint, children, end }: FeedFilterBarProps) {
  const { t } = useTranslation('monitor')
  const { data: teams } = useCall(ownOperations.listMonitoredTeams, { params: { id: gameId } }, rarely)
  const { data: challenges } = useCall(ownOperations.listMonitoredChallenges, { params: { id: gameId } }, rarely)
  const { search, choose, team, challenge, from, until } = filters
  const [isTimeOpen, setTimeOpen] = useState(from !== undefined || until !== undefined)
  return (
    <>
      <Toolbar
        search={
          <SearchInput
            label={searchLabel}
            placeholder={searchHint}
            maxLength={InputLimits.maxSearchLength}
            value={search.typed}
            onValueChange={search.setTyped}
          />
        }
      >
        {children}
        <div className={cx('row row-between', styles.lastLine)}>
          <div className={cx('row', styles.choices)}>
            <IdSelect
              label={t('submission.team')}
              anyLabel={t('filter.anyTeam')}
              value={team}
              options={teams?.map(({ id, name }) => ({ id, label: name })) ?? []}
              onChoose={(value) => choose({ team: value })}
            />
            <IdSelect
              label={t('submission.challenge')}
              anyLabel={t('filter.anyChallenge')}
              value={challenge}
              options={challenges?.map(({ id, title }) => ({ id, label: title })) ?? []}
              onChoose={(value) => choose({ challenge: value })}
            />
            <Button
              aria-expanded={isTimeOpen}
              onClick={() => {
                if (isTimeOpen) choose({ from: '', until: '' })
                setTimeOpen(!isTimeOpen)
              }}
            >
              <CalendarClock aria-hidden />
              {t(isTimeOpen ? 'filter.anyTime' : 'filter.time')}
            </Button>
          </div>
          <div className="row">{end}</div>
        </div>
      </Toolbar>
      {isTimeOpen && (
        <div className="row below-4">
          <TimeField label={t('filter.from')} value={from ?? ''} onValueChange={(value) => choose({ from: value })} />
          <TimeField label={t('filter.until')} value={until ?? ''} onValueChange={(value) => choose({ until: value })} />
        </div>
      )}
    </>
  )
}

type IdSelectProps = Readonly<{
  label: string
  anyLabel: string
  value: number | undefined
  options: readonly Readonly<{ id: number; label: string }>[]
  /** @param value new value of the filter, or an empty text to remove the filter */
  onChoose: (value: string) => void
}>

/** Dropdown list of teams or of challenges. If the selected id is unknown, the list shows the id. */
function IdSelect({ label, anyLabel, value, options, onChoose }: IdSelectProps) {
  const isUnknown = value !== undefined && options.every(({ id }) => id !== value)
  return (
    <Select
      aria-label={label}
      value={value === undefined ? 'any' : String(value)}
      onValueChange={(chosen) => onChoose(chosen === 'any' ? '' : chosen)}
      options={[
        { value: 'any', label: anyLabel },
        ...(isUnknown ? [{ value: String(value), label: `#${value}` }] : []),
        ...options.map((option) => ({ value: String(option.id), label: option.label })),
      ]}
    />
  )
}
