// Lines of the public chain as they are downloaded. Rules: docs/verifying.md.
import { LRUCache } from 'lru-cache'
import type { InstanceDeps } from '../../instances/deps.ts'
import { chainLineOf } from '../../rules/scoring/public-chain.ts'
import { createSecretNumbers } from '../../rules/signing/board-seal.ts'
import { openGameKey, type StoredGameKeys } from '../../rules/signing/game-keys.ts'
import { createChainRepository } from './repository.ts'

/** Number of records that are read at once. Other calls are served between two reads. */
const pageSize = 2_000
/** Maximum number of cached lines of all games together, unless one game has more. A line takes some hundred bytes. */
const maxCachedLines = 400_000

type ChainGame = StoredGameKeys & Readonly<{ id: number }>

type ChainDeps = Pick<InstanceDeps, 'db' | 'config'>

/**
 * Yields the lines of the records whose number is higher than `after`. If a seal ends at a record, the line of the record
 * includes the seal.
 */
async function* writeLines({ db, config }: ChainDeps, game: ChainGame, { after, last }: { after: number; last: number }) {
  const repository = createChainRepository(db)
  const secretNumbers = createSecretNumbers(openGameKey(game, config.secretKey))
  const seals = new Map((await repository.listSeals(game.id, { after, last })).map((seal) => [seal.sequence, seal]))
  for (let read = after; read < last; ) {
    const page = await repository.listPublic(game.id, { after: read, last }, pageSize)
    // The page of records is empty only if the game was deleted.
    if (page.length === 0) return
    for (const { sequence, ...record } of page) {
      const line = `${chainLineOf(sequence, record, secretNumbers)}\n`
      const seal = seals.get(sequence)
      if (!seal) {
        yield line
        continue
      }
      const { hash, sealedAt, signature } = seal
      yield `${line}${JSON.stringify({ seal: sequence, hash, time: sealedAt.getTime(), signature })}\n`
    }
    read = page.at(-1)?.sequence ?? last
  }
}

/**
 * Yields lines from `after` to `last` without a copy. A copy of the lines would need memory until a slow client has read all of
 * them.
 */
function* takeLines(lines: readonly string[], { after, last }: { after: number; last: number }): Generator<string> {
  for (let index = after; index < last; index++) yield lines[index] ?? ''
}

export function firstLineOfChain({ id, publicKey }: Pick<ChainGame, 'id' | 'publicKey'>): string {
  return `${JSON.stringify({ game: id, publicKey })}\n`
}

/**
 * Creates a reader of public chains. The reader caches lines, because lines never change. Concurrent downloads share the work.
 */
export function createChainReader(deps: ChainDeps, maxLines = maxCachedLines) {
  const chains = new LRUCache<number, { readonly lines: string[]; ready: Promise<void> }>({ maxSize: maxLines })
  return {
    /** Returns the lines of the records after number `after` and up to number `last`, in order. */
    async read(game: ChainGame, { after, last }: { after: number; last: number }): Promise<Iterable<string>> {
      const chain = chains.get(game.id) ?? { lines: [], ready: Promise.resolve() }
      const extend = async (): Promise<void> => {
        if (chain.lines.length >= last) return
        for await (const line of writeLines(deps, game, { after: chain.lines.length, last })) chain.lines.push(line)
      }
      // After a failure, the next download continues with the first missing line.
      chain.ready = chain.ready.then(extend, extend)
      // The cache refuses entries over its maximum. A longer chain takes the whole cache, so that its downloads still share the work.
      chains.set(game.id, chain, { size: Math.min(Math.max(1, last), maxLines) })
      await chain.ready
      return takeLines(chain.lines, { after, last })
    },
  }
}
