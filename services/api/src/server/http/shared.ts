/**
 * One answer for all who ask while it is under way: of an address without a rate limit no flood costs more than a question at a time.
 * What is told may be as old as the question.
 */
export function shared<Answer>(ask: () => Promise<Answer>): () => Promise<Answer> {
  let current: Promise<Answer> | undefined
  return () => {
    current ??= ask().finally(() => {
      current = undefined
    })
    return current
  }
}
