/**
 * Shares one pending result between concurrent calls, so that many unlimited calls run one query at a time. The result may be
 * as old as the start of the query.
 */
export function shareConcurrent<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let current: Promise<Answer> | undefined
  return () => {
    current ??= ask().finally(() => {
      current = undefined
    })
    return current
  }
}
