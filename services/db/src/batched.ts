import { AsyncLocalStorage } from 'node:async_hooks'
import DataLoader from 'dataloader'
import type { Executor } from './client.ts'
import { DatabaseUnavailable } from './database-error.ts'

/** So many questions are asked together at most. */
const mostAtOnce = 100

/**
 * Lets requests of the same moment share one statement: what is asked in one turn of the event loop goes to the database together,
 * and what comes while the database is busy waits for each other. Under load a statement serves dozens of requests, and one commit
 * stores what they bring; a lone request waits for nothing.
 * When the database refuses the batch, each question is asked again on its own, so that nobody fails because of another's. When
 * it is away, nobody knows what became of the batch: then nothing is asked again, as it might be done twice.
 * @param askAll answers in the order of the questions
 * @param db while it is known to be away, each question waits by itself, and not one batch for all
 * @param options.mostUnderWay so many statements are under way at most; whoever comes meanwhile shares the next
 */
export const batched = <Question, Answer>(
  askAll: (questions: readonly Question[]) => Promise<readonly Answer[]>,
  db?: Executor,
  { mostUnderWay = 2 }: { readonly mostUnderWay?: number } = {},
): ((question: Question) => Promise<Answer>) => {
  const askOne = async (question: Question): Promise<Answer | Error> => {
    try {
      const [answer] = await askAll([question])
      return answer as Answer
    } catch (error) {
      return error instanceof Error ? error : new Error(String(error))
    }
  }
  const askOrSplit = async (questions: readonly Question[]): Promise<readonly (Answer | Error)[]> => {
    try {
      return await askAll(questions)
    } catch (error) {
      if (questions.length === 1 || error instanceof DatabaseUnavailable) throw error
      return Promise.all(questions.map(askOne))
    }
  }
  let underWay = 0
  const waiting: (() => void)[] = []
  const askInTurn = async (questions: readonly Question[]) => {
    underWay += 1
    try {
      return await askOrSplit(questions)
    } finally {
      underWay -= 1
      waiting.shift()?.()
    }
  }
  const loader = new DataLoader<Question, Answer>(askInTurn, {
    cache: false,
    maxBatchSize: mostAtOnce,
    batchScheduleFn: (run) => void (underWay < mostUnderWay ? setImmediate(run) : waiting.push(AsyncLocalStorage.bind(run))),
  })
  const whenBack = db && 'whenBack' in db ? db.whenBack : () => undefined
  return (question) => whenBack()?.then(() => loader.load(question)) ?? loader.load(question)
}
