import type { StatementCounter } from '@capstan/db/client'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { startTestApp, type TestApp } from '../../testing/app.ts'
import { aChallenge, aGame } from '../../testing/organizing-factories.ts'
import { aPlayer } from '../../testing/playing-factories.ts'

let context: TestApp
const counter: StatementCounter = { statements: 0 }
beforeAll(async () => {
  context = await startTestApp({ counter })
})
afterAll(() => context.close())

// This file must contain only one test. A second test would start the cache of boards, which polls the change feed and adds
// statements.
test('a submission needs at most eight SQL statements, and the same statements for every kind of flag', async () => {
  const game = await aGame(context.db)
  const plain = await aChallenge(context.db, { gameId: game.id, flags: ['flag{right}'] })
  const ruled = await aChallenge(context.db, { gameId: game.id, rules: [{ kind: 'Pattern', flag: 'flag.right.' }] })
  const player = await aPlayer(context, { gameId: game.id, challengeIds: [plain.id, ruled.id] })
  const count = async (challenge: { id: number }, flag: string) => {
    const before = counter.statements
    await player.client.post(`/api/game/${game.id}/challenges/${challenge.id}`, { flag })
    return counter.statements - before
  }
  // The first call fills the caches, so the statements of this call do not count.
  await count(plain, 'flag{first}')
  await count(ruled, 'flag{first}')
  for (const flag of ['flag{wrong}', 'flag{right}']) {
    const [ofRuled, ofPlain] = [await count(ruled, flag), await count(plain, flag)]
    expect(ofRuled).toBe(ofPlain)
    expect(ofPlain).toBeLessThanOrEqual(8)
  }
})
