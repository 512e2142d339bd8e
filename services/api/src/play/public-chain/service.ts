// Public chain of the records of a game. Rules: docs/verifying.md.
import { setImmediate as nextTurn } from 'node:timers/promises'
import type { FreezeTimes } from '@capstan/contract/phases'
import type { Executor } from '@capstan/db/client'
import type { InstanceDeps } from '../../instances/deps.ts'
import { type ChainRecord, chainLineOf, createChainPlan, isOnBoard, rowKeyOf } from '../../rules/scoring/public-chain.ts'
import { computeNextHash, createSecretNumbers, firstHash, signBoardSeal } from '../../rules/signing/board-seal.ts'
import { openGameKey } from '../../rules/signing/game-keys.ts'
import { createChainRepository } from './repository.ts'

type ChainDeps = Pick<InstanceDeps, 'db' | 'clock' | 'config'>

/** Number of records that are read at once. Other calls are served between two reads. */
const pageSize = 2_000
/** Maximum number of records that a transaction adds to a chain, because the transaction must not remain open for long. */
const maxPerSeal = 10_000

type Extension = Readonly<{
  gameId: number
  now: Date
  serverSecret: string
}>

/**
 * Returns the instant from which records are not public: the instant of the freeze, until the reveal. A future freeze counts,
 * too, because a replica with a fast clock may already write records with times after the freeze.
 */
function hiddenFrom({ freeze, revealed }: FreezeTimes, now: Date): Date | undefined {
  return freeze && (!revealed || now < revealed) ? freeze : undefined
}

/**
 * Appends newly public score records to the public chain of a game, and signs the chain.
 * @returns true if the caller must call this function again
 */
async function extend(transaction: Executor, { gameId, now, serverSecret }: Extension): Promise<boolean> {
  const repository = createChainRepository(transaction)
  if (!(await repository.tryLock(gameId))) return false
  const game = await repository.lockGame(gameId)
  if (!game) return false
  const privateKey = openGameKey(game, serverSecret)
  const secretNumbers = createSecretNumbers(privateKey)
  const seal = await repository.findLastSeal(gameId)
  let { sequence, hash } = seal ?? { sequence: 0, hash: firstHash }
  const until = hiddenFrom(game, now)
  const listed = new Set(await repository.listListed(gameId, now, until))
  const plan = createChainPlan({ until, isListed: (challengeId) => listed.has(challengeId) })
  await repository.openUnnumbered(gameId)
  let settled = 0
  let page: ChainRecord[] = []
  do {
    page = await repository.nextUnnumbered(pageSize)
    const known = await repository.listPublicRows(gameId, page)
    plan.setPresent(known.filter(isOnBoard).map(rowKeyOf))
    const { published, dropped } = plan.add(page)
    await repository.number(
      published.map(({ id }) => id),
      sequence + 1,
    )
    await repository.drop(dropped)
    for (const record of published) {
      sequence += 1
      hash = computeNextHash(hash, chainLineOf(sequence, record, secretNumbers))
    }
    settled += published.length + dropped.length
    await nextTurn()
  } while (page.length === pageSize && settled < maxPerSeal)
  if (sequence > (seal?.sequence ?? 0)) {
    const signature = signBoardSeal({ gameId, sequence, hash, time: now.getTime() }, privateKey)
    await repository.insertSeal({ gameId, sequence, hash, signature, sealedAt: now })
  }
  return page.length === pageSize
}

/**
 * Extends the chains of all games that have started. Only one process at a time extends a chain.
 * @throws AggregateError after all games, if a chain could not be extended
 */
export async function extendChains({ db, clock, config }: ChainDeps): Promise<void> {
  const now = clock.now()
  const failures: unknown[] = []
  for (const gameId of await createChainRepository(db).listPending(now)) {
    try {
      let hasMore = true
      while (hasMore)
        hasMore = await db.transaction((transaction) => extend(transaction, { gameId, now, serverSecret: config.secretKey }))
    } catch (error) {
      failures.push(error)
    }
  }
  if (failures.length > 0) throw new AggregateError(failures, 'Could not extend some chains')
}

/** Returns the number of the last record that a seal covers. */
export function findChainEnd({ db }: Pick<ChainDeps, 'db'>, gameId: number): Promise<number> {
  return createChainRepository(db).findLastSequence(gameId)
}
