import { expect, test } from 'vitest'
import { batchQueries } from './batched.ts'
import { DatabaseUnavailable } from './database-error.ts'

function recording(refuses: (question: number) => boolean = () => false) {
  const calls: (readonly number[])[] = []
  const ask = batchQueries(async (questions: readonly number[]) => {
    calls.push(questions)
    if (questions.some(refuses)) throw new Error(`refused ${questions.join()}`)
    return questions.map((question) => question * 10)
  })
  return { calls, ask }
}

test('concurrent queries are sent as one batch, and each caller gets its result', async () => {
  const { calls, ask } = recording()
  expect(await Promise.all([ask(1), ask(2), ask(2)])).toEqual([10, 20, 20])
  expect(calls).toEqual([[1, 2, 2]])
})

test('a query that was answered before is sent again, because results are not cached', async () => {
  const { calls, ask } = recording()
  await ask(1)
  await ask(1)
  expect(calls).toEqual([[1], [1]])
})

test('only the faulty query rejects if the database refuses a batch', async () => {
  const { calls, ask } = recording((question) => question === 2)
  const answers = await Promise.allSettled([ask(1), ask(2), ask(3)])
  expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : String(answer.reason)))).toEqual([
    10,
    'Error: refused 2',
    30,
  ])
  expect(calls).toEqual([[1, 2, 3], [1, 2], [1], [2], [3]])
})

test('a faulty query in a batch of 64 queries causes two more statements each time that the batch is halved', async () => {
  const { calls, ask } = recording((question) => question === 40)
  const answers = await Promise.allSettled(Array.from({ length: 64 }, (_, index) => ask(index)))
  expect(answers.flatMap(({ status }, index) => (status === 'rejected' ? [index] : []))).toEqual([40])
  expect(calls).toHaveLength(1 + 2 * 6)
})

test('a batch whose connection is lost is not retried, because the batch may have been committed', async () => {
  const calls: (readonly number[])[] = []
  const ask = batchQueries(async (questions: readonly number[]): Promise<number[]> => {
    calls.push(questions)
    throw new DatabaseUnavailable(new Error('The connection broke'))
  })
  const answers = await Promise.allSettled([ask(1), ask(2)])
  expect(answers.map(({ status }) => status)).toEqual(['rejected', 'rejected'])
  expect(calls).toEqual([[1, 2]])
})

test('a refused query is sent only once if its batch contains no other query', async () => {
  const { calls, ask } = recording(() => true)
  await expect(ask(7)).rejects.toThrow('refused 7')
  expect(calls).toEqual([[7]])
})

test('a batch above the maximum size is split', async () => {
  const { calls, ask } = recording()
  await Promise.all(Array.from({ length: 250 }, (_, index) => ask(index)))
  expect(calls.map((questions) => questions.length)).toEqual([100, 100, 50])
})

test('while the maximum number of statements is running, further queries wait and form one batch', async () => {
  const { promise: answered, resolve: answer } = Promise.withResolvers<void>()
  const calls: (readonly number[])[] = []
  const ask = batchQueries(async (questions: readonly number[]) => {
    calls.push(questions)
    await answered
    return questions
  })
  const asked = [ask(1)]
  await expect.poll(() => calls).toEqual([[1]])
  asked.push(ask(2))
  await expect.poll(() => calls).toEqual([[1], [2]])
  asked.push(ask(3))
  await new Promise(setImmediate)
  asked.push(ask(4))
  await new Promise(setImmediate)
  expect(calls).toEqual([[1], [2]])
  answer()
  expect(await Promise.all(asked)).toEqual([1, 2, 3, 4])
  expect(calls).toEqual([[1], [2], [3, 4]])
})

test('only one statement runs at a time if the maximum number of statements is one', async () => {
  const answers: ((value: undefined) => void)[] = []
  const calls: (readonly number[])[] = []
  const ask = batchQueries(
    async (questions: readonly number[]) => {
      calls.push(questions)
      await new Promise((resolve) => answers.push(resolve))
      return questions
    },
    undefined,
    { maxConcurrent: 1 },
  )
  const asked = [ask(1)]
  await expect.poll(() => calls).toEqual([[1]])
  asked.push(ask(2), ask(3))
  await new Promise(setImmediate)
  await new Promise(setImmediate)
  expect(calls).toEqual([[1]])
  answers.shift()?.(undefined)
  await expect.poll(() => calls).toEqual([[1], [2, 3]])
  answers.shift()?.(undefined)
  expect(await Promise.all(asked)).toEqual([1, 2, 3])
})
