import { searcherOf } from '../../components/live-list/tail.ts'
import { useTail } from '../../components/live-list/use-tail.ts'
import { useQueryPage, useQuerySearch, useQueryState } from '../../lib/query-state.ts'
import type { CallFailure } from '../../lib/server-state.ts'
import { feedPageSize, searchPageSize } from './feed.ts'

/**
 * Search and page of a live list, from the address.
 * @param isFiltered entries are looked through here, not by the server: a larger page is read, as for a search
 */
export function useFeedPlace(isFiltered: boolean) {
  const search = useQuerySearch()
  const { page, setPage } = useQueryPage()
  const { set: setQuery } = useQueryState()
  const isSearching = isFiltered || search.settled !== ''
  const pageSize = isSearching ? searchPageSize : feedPageSize
  const skip = page * pageSize
  return { search, page, setPage, setQuery, isSearching, pageSize, skip, query: { count: pageSize, skip } }
}

interface FeedOptions<Entry> {
  readonly place: ReturnType<typeof useFeedPlace>
  /** The page at that place. */
  readonly read: {
    readonly data?: readonly Entry[] | undefined
    readonly error?: CallFailure | undefined
    readonly mutate: () => unknown
  }
  readonly accepts: (entry: Entry) => boolean
  readonly keyOf: (entry: Entry) => string
  readonly timeOf: (entry: Entry) => number
  readonly textOf: (entry: Entry) => readonly string[]
}

/** A live list with pages: the first page updates by itself and can be paused, older pages stay as read. */
export function useFeed<Entry>({ place, read, accepts, keyOf, timeOf, textOf }: FeedOptions<Entry>) {
  const tail = useTail({ read: read.data, pageSize: place.pageSize, accepts, keyOf, timeOf })
  const matches = searcherOf(place.search.settled, textOf)
  const isLive = place.page === 0
  const entries = isLive ? tail.entries : read.data?.filter(accepts)
  return {
    ...place,
    isLive,
    tail,
    /** How many entries the server gave for this page. */
    readCount: read.data?.length ?? 0,
    entries: entries?.filter(matches),
    error: read.error,
    retry: read.mutate,
  }
}
