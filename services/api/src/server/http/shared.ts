/**
 * Returns a function whose concurrent calls share one pending result, so that only one query runs at a time. The result may lack
 * changes that were made after the query started.
 */
export function shareConcurrentCalls<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let current: Promise<Answer> | undefined
  return () => {
    current ??= ask().finally(() => {
      current = undefined
    })
    return current
  }
}
