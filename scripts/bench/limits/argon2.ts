import { createPasswords } from '@capstan/api/people/accounts/password'
import { answerOrders } from '../worker.ts'

export type VerifyOrder = Readonly<{
  hash: string
  password: string
  /** Checks under way at once. */
  clients: number
  seconds: number
}>

/** The limit of logging in: nothing but checking a password hash. @returns checks per second */
async function run({ hash, password, clients, seconds }: VerifyOrder): Promise<number> {
  const deadlineMs = performance.now() + seconds * 1000
  const passwords = createPasswords()
  let checked = 0
  const client = async () => {
    while (performance.now() < deadlineMs) {
      if (!(await passwords.check(hash, password))) throw new Error('The password does not match its hash')
      if (performance.now() <= deadlineMs) checked += 1
    }
  }
  await Promise.all(Array.from({ length: clients }, client))
  return checked / seconds
}

answerOrders(run)
