/** Element of a source, with the index of the source. */
export type Merged<Value> = Readonly<{ source: number; value: Value }>

/**
 * Merges sources that are ordered by time. The result is ordered by time, and by source among equal times. The merge buffers one
 * element of each source, and closes all sources when it ends.
 */
export async function* mergeByTime<Value extends { readonly time: bigint }>(
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
