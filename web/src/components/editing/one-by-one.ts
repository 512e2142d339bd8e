import { ApiError } from '../../lib/http.ts'

export type Outcome<Item> = Readonly<{
  done: readonly Item[]
  failed: readonly { readonly item: Item; readonly error: unknown }[]
}>

type OneByOneOptions = Readonly<{
  /** Called after each item. */
  onProgress?: (handled: number) => void
  /** Waits; the browser's clock unless told. */
  wait?: (ms: number) => Promise<void>
}>

function sleep(ms: number) {
  return new Promise<void>((resolve) => setTimeout(resolve, ms))
}

/**
 * Does something to many things where the contract has a call for one only. One failure does not stop the rest; where the server
 * says "too many" the same item is tried again after the time it named.
 */
export async function oneByOne<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
  { onProgress, wait = sleep }: OneByOneOptions = {},
): Promise<Outcome<Item>> {
  const done: Item[] = []
  const failed: { item: Item; error: unknown }[] = []
  for (const item of items) {
    try {
      await actPatiently(() => act(item), wait)
      done.push(item)
    } catch (error) {
      failed.push({ item, error })
    }
    onProgress?.(done.length + failed.length)
  }
  return { done, failed }
}

async function actPatiently(act: () => Promise<unknown>, wait: (ms: number) => Promise<void>): Promise<void> {
  for (;;) {
    try {
      await act()
      return
    } catch (error) {
      if (!(error instanceof ApiError) || error.retryAfterSeconds === undefined) throw error
      await wait(error.retryAfterSeconds * 1000)
    }
  }
}
