import { ApiError } from '../../lib/http.ts'

type Outcome<Item> = Readonly<{
  done: readonly Item[]
  failed: readonly Readonly<{ item: Item; error: unknown }>[]
}>

type OneByOneOptions = Readonly<{
  /** Function that waits for a time. The default function uses a timer, and tests replace the function. */
  wait?: (ms: number) => Promise<void>
}>

function sleep(ms: number) {
  return new Promise<void>((resolve) => setTimeout(resolve, ms))
}

/**
 * Applies an action to items one by one, for calls that accept only one item. Continues with the next item after a failure. After
 * a 429 it retries the same item when the required wait is over.
 */
export async function runSequentially<Item>(
  items: readonly Item[],
  act: (item: Item) => Promise<unknown>,
  { wait = sleep }: OneByOneOptions = {},
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
