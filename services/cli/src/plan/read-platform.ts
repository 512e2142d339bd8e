import { findSchemaFaults } from '@capstan/challenge-files/format/validate'
import type { Certificate } from '@capstan/contract/certificates'
import type { FullChallenge } from '@capstan/contract/challenge'
import type { Division } from '@capstan/contract/divisions'
import type { AdminGame } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import { type ChallengeSource, type GameSource, SourceName } from '@capstan/contract/sources'
import type { Platform } from '../platform.ts'
import { type DivisionRightsState, rightsOfDivisions } from '../state/division-rights.ts'

export type PresentChallenge = FullChallenge &
  Readonly<{
    /** File that the challenge was applied from, as the platform has recorded it. Undefined if the challenge comes from no file. */
    source: ChallengeSource | undefined
  }>

export type PresentGame = Readonly<{
  game: AdminGame
  certificate: Certificate
  source: GameSource
  challenges: readonly PresentChallenge[]
  divisions: readonly Division[]
  /** Rights of all divisions. The list omits rights for challenges without a file. */
  divisionRights: readonly DivisionRightsState[]
}>

const categoryPattern = /^[A-Za-z0-9]{1,64}$/

/**
 * Refuses names that would become folders on this machine but are not valid. Otherwise a hostile platform could write into folders
 * of tools, such as `.git` and `.github`.
 * @throws if a name or a category is not valid
 */
function refuseUnsafeNames(source: GameSource, challenges: readonly FullChallenge[]): void {
  for (const name of [source.name, ...source.challenges.map((each) => each.name)])
    if (name !== null && findSchemaFaults(SourceName, name).length > 0)
      throw new Error(`The platform sent an invalid name: ${JSON.stringify(name)}.`)
  for (const { challenge } of challenges)
    if (!categoryPattern.test(challenge.category))
      throw new Error(`The platform sent an invalid category: ${JSON.stringify(challenge.category)}.`)
}

export async function readPlatformGame(platform: Platform, gameId: number): Promise<PresentGame> {
  const params = { id: gameId }
  const [game, certificate, source, challenges, divisions] = await Promise.all([
    platform.call(operations.adminGetGame, { params }),
    platform.call(ownOperations.getCertificate, { params }),
    platform.call(ownOperations.getGameSource, { params }),
    platform.call(ownOperations.listFullChallenges, { params }),
    platform.call(ownOperations.listDivisions, { params }),
  ])
  refuseUnsafeNames(source, challenges)
  const sources = new Map(source.challenges.map((each) => [each.id, each]))
  return {
    game,
    certificate,
    source,
    challenges: challenges.map((each) => ({ ...each, source: sources.get(each.id) })),
    divisions,
    divisionRights: rightsOfDivisions(divisions, (id) => sources.get(id)?.name),
  }
}

/**
 * Returns the game with the rights of divisions for the challenges in `ids`. Rights for other challenges are omitted.
 * @param ids ids of challenges by name
 */
export function selectRightsForChallenges(present: PresentGame, ids: ReadonlyMap<string, number>): PresentGame {
  const names = new Map([...ids].map(([name, id]) => [id, name]))
  return { ...present, divisionRights: rightsOfDivisions(present.divisions, (id) => names.get(id)) }
}

/**
 * Returns the id of the game that belongs to a game file.
 * @param name name in the game file
 * @returns undefined if the file belongs to no game
 */
export async function findGameForName(platform: Platform, name: string): Promise<number | undefined> {
  return (await platform.call(ownOperations.findSourcedGame, { params: { name } })).id ?? undefined
}
