import { InputLimits, PageLimits } from '@capstan/contract/limits'
import { useListPause } from '../../components/live-list/use-pause.ts'
import { useQueryPage, useQuerySearch, useQueryState } from '../../lib/query-state.ts'
import type { CallFailure } from '../../lib/server-state.ts'
import { useDelayedRead } from '../../lib/use-delayed-read.ts'

/** Delay between a message and the read that it causes, in ms. One read serves all messages during the delay. */
const readDelayMs = 1_500

function idOf(text: string): number | undefined {
  return /^[1-9]\d{0,8}$/.test(text) ? Number(text) : undefined
}

function instantOf(text: string): string | undefined {
  return /^\d{4}-/.test(text) && !Number.isNaN(Date.parse(text)) ? new Date(text).toISOString() : undefined
}

const filterNames = ['q', 'team', 'challenge', 'from', 'until'] as const

/**
 * Returns the page number and the filters that the address contains. All monitor lists share these filters, and the server
 * applies them.
 */
export function useFeedFilters(pageSize: number = PageLimits.default) {
  const search = useQuerySearch()
  const { page, setPage } = useQueryPage()
  const { get, set } = useQueryState()
  const hint = search.settled.trim().slice(0, InputLimits.maxSearchLength)
  const [team, challenge] = [idOf(get('team')), idOf(get('challenge'))]
  const [from, until] = [instantOf(get('from')), instantOf(get('until'))]
  const chosen = {
    ...(hint !== '' && { hint }),
    ...(team !== undefined && { team }),
    ...(challenge !== undefined && { challenge }),
    ...(from !== undefined && { from }),
    ...(until !== undefined && { until }),
  }
  return {
    ...{ search, page, setPage, pageSize, team, challenge, from, until },
    choose: (values: Partial<Record<Exclude<(typeof filterNames)[number], 'q'>, string>>) => set({ ...values, page: undefined }),
    /** @param others names of additional filters of the list */
    clear: (...others: readonly string[]) => {
      search.setTyped('')
      set(Object.fromEntries([...filterNames, ...others, 'page'].map((name) => [name, undefined])))
    },
    isFiltered: Object.keys(chosen).length > 0,
    query: { ...chosen, count: pageSize, skip: page * pageSize },
  }
}

export type FeedFilters = ReturnType<typeof useFeedFilters>

type FeedOptions<Entry> = Readonly<{
  filters: FeedFilters
  read: Readonly<{
    data?: Readonly<{ data: readonly Entry[]; total: number }> | undefined
    error?: CallFailure | undefined
    mutate: () => unknown
  }>
  /** Key that identifies the list and its filters. A pause of the list ends when the key changes. */
  scope: string
}>

/** Returns a page of a filtered list. The first page is read again after each message. Users can pause the list. */
export function useFilteredFeed<Entry extends { readonly id: number }>({ filters, read, scope }: FeedOptions<Entry>) {
  const isLive = filters.page === 0
  const readSoon = useDelayedRead(read.mutate, readDelayMs)
  const pause = useListPause({ current: read.data?.data, keyOf: ({ id }) => String(id), scope })
  return {
    filters,
    pause,
    isLive,
    entries: isLive ? pause.entries : read.data?.data,
    total: read.data?.total ?? 0,
    error: read.error,
    retry: read.mutate,
    /** Call this function after each live message. The function reads the list again if page 1 is open. */
    notify: () => {
      if (isLive) readSoon()
    },
  }
}
