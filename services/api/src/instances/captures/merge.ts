/** Element of one of several merged streams, with the index of its stream. */
export type Merged<Value> = Readonly<{ source: number; value: Value }>

/**
 * Merges streams whose elements are ordered by time. The result is ordered by time. Elements with equal times are in the order of
 * their streams. The merge buffers one element of each stream, and closes all streams when it ends.
 */
export async function* mergeStreamsByTime<Value extends { readonly time: bigint }>(
  sources: readonly AsyncIterable<Value>[],
): AsyncGenerator<Merged<Value>> {
  const iterators = sources.map((source) => source[Symbol.asyncIterator]())
  try {
    const heads = await Promise.all(iterators.map((iterator) => iterator.next()))
    for (;;) {
      let source = -1
      let earliest: Value | undefined
      for (const [index, head] of heads.entries()) {
        if (head.done || (earliest !== undefined && head.value.time >= earliest.time)) continue
        source = index
        earliest = head.value
      }
      const iterator = iterators[source]
      if (earliest === undefined || iterator === undefined) return
      yield { source, value: earliest }
      heads[source] = await iterator.next()
    }
  } finally {
    await Promise.allSettled(iterators.map((iterator) => iterator.return?.()))
  }
}
