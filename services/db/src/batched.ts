import { AsyncLocalStorage } from 'node:async_hooks'
import DataLoader from 'dataloader'
import type { Executor } from './client.ts'
import { DatabaseUnavailable } from './database-error.ts'

const maxQuestions = 100

/**
 * Returns a function that sends queries in batches, so that concurrent callers share one statement. A batch contains the queries
 * of one turn of the event loop. While the maximum number of statements is running, further queries wait and form the next batch.
 * So under load, one statement and one commit serve dozens of requests. Without load, no request waits. If the database refuses a
 * batch, its halves are sent separately, so that only the faulty query fails. A batch whose connection is lost is not retried,
 * because it may have been committed.
 * @param askAll sends a batch, and returns the results in the order of the queries
 * @param db database. While the database is unavailable, queries wait before they join a batch
 * @param options.maxConcurrent maximum number of batches that run concurrently
 */
export function batchQueries<Question, Answer>(
  askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  db?: Executor,
  { maxConcurrent = 2 }: { readonly maxConcurrent?: number } = {},
): (question: Question) => Promise<Answer> {
  const askOrSplit = async (questions: readonly Question[]): Promise<readonly (Answer | Error)[]> => {
    try {
      return await askAll(questions)
    } catch (error) {
      const isFinal = questions.length === 1 || error instanceof DatabaseUnavailable
      if (isFinal) return questions.map(() => (error instanceof Error ? error : new Error(String(error))))
      const middle = Math.ceil(questions.length / 2)
      return [...(await askOrSplit(questions.slice(0, middle))), ...(await askOrSplit(questions.slice(middle)))]
    }
  }
  let running = 0
  const waiting: (() => void)[] = []
  const askInTurn = async (questions: readonly Question[]) => {
    running += 1
    try {
      return await askOrSplit(questions)
    } finally {
      running -= 1
      waiting.shift()?.()
    }
  }
  const loader = new DataLoader<Question, Answer>(askInTurn, {
    cache: false,
    maxBatchSize: maxQuestions,
    batchScheduleFn: (run) => void (running < maxConcurrent ? setImmediate(run) : waiting.push(AsyncLocalStorage.bind(run))),
  })
  const whenBack = db && 'whenBack' in db ? db.whenBack : () => undefined
  return (question) => whenBack()?.then(() => loader.load(question)) ?? loader.load(question)
}
