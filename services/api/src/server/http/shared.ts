/**
 * Shares one pending result between concurrent calls. Only one query runs at a time, for any number of calls. The result may lack
 * changes that were made after the query started.
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
