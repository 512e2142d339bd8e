import { PageLimits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import { useQueryState } from '../../lib/query-state.ts'
import { useCall } from '../../lib/server-state.ts'
import { Select } from '../ui/input.tsx'

type ChosenGame = Readonly<{
  /** Id of the selected game. Undefined if the list is not limited to one game. */
  id: number | undefined
  setId: (id: number | undefined) => void
}>

/** Returns the game filter of a list, which is stored in the address. Selecting another game returns to the first page. */
export function useGameFilter(): ChosenGame {
  const { get, set } = useQueryState()
  const text = get('game')
  return {
    id: /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined,
    setId: (id) => set({ game: id === undefined ? undefined : String(id), page: undefined }),
  }
}

type GameFilterProps = Readonly<{
  label: string
  anyLabel: string
  filter: ChosenGame
}>

export function GameFilter({ label, anyLabel, filter }: GameFilterProps) {
  const { data } = useCall(operations.adminListGames, { query: { count: PageLimits.max, skip: 0 } }, { refreshInterval: 0 })
  // Show the select also while the games load, so that the layout does not change later.
  if (data?.data.length === 0) return null
  const games = data?.data ?? []
  return (
    <Select
      aria-label={label}
      value={filter.id === undefined ? 'any' : String(filter.id)}
      onValueChange={(value) => filter.setId(value === 'any' ? undefined : Number(value))}
      options={[{ value: 'any', label: anyLabel }, ...games.map(({ id, title }) => ({ value: String(id), label: title }))]}
    />
  )
}
