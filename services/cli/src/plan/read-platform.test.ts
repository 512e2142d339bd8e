import { operations, ownOperations } from '@capstan/contract/operations'
import { expect, test } from 'vitest'
import type { Platform } from '../platform.ts'
import { readPlatformGame } from './read-platform.ts'

/** Returns a platform with one game and one challenge, which have the given names and category. */
function platformWith({ game, challenge, category }: { game: string; challenge: string; category: string }): Platform {
  const answers = new Map<unknown, unknown>([
    [operations.adminGetGame, {}],
    [ownOperations.getCertificate, {}],
    [ownOperations.getGameSource, { name: game, challenges: [{ id: 1, name: challenge }] }],
    [ownOperations.listFullChallenges, [{ id: 1, challenge: { category } }]],
    [ownOperations.listDivisions, []],
  ])
  return { call: async (operation: unknown) => answers.get(operation) } as unknown as Platform
}

const valid = { game: 'cup', challenge: 'knots-2', category: 'Misc' }

test('a game whose names are valid is read', async () => {
  expect(await readPlatformGame(platformWith(valid), 1)).toMatchObject({ challenges: [{ source: { name: 'knots-2' } }] })
})

test.each([
  ...['.git', '.github', '..', 'a/b', 'a\\b', '', 'A', 'con.', 'a\n', 'x'.repeat(1_000)].flatMap((name) => [
    { ...valid, game: name },
    { ...valid, challenge: name },
  ]),
  ...['', '.', '..', '.git', '.vscode', 'a/b', 'a b', 'x'.repeat(65)].map((category) => ({ ...valid, category })),
])('a platform that sends names for folders of tools or outside the tree is refused: %j', async (names) => {
  await expect(readPlatformGame(platformWith(names), 1)).rejects.toThrow(/^The platform sent an invalid (name|category): /)
})
