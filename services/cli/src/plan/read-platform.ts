import type { ChallengeLabels } from '@capstan/contract/challenge-labels'
import type { ChallengeEdit } from '@capstan/contract/challenges'
import type { ContainerChoices } from '@capstan/contract/container-definition'
import type { AdminGame } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { ChallengeSource, GameSource } from '@capstan/contract/sources'
import type { Platform } from '../platform.ts'
import {
  type ChallengeState,
  defaultReach,
  type FlagKinds,
  hasContainer,
  hasSharedFlags,
  stateOfPlatform,
} from '../state/challenge-state.ts'

/** A challenge as the platform has it. */
export interface PresentChallenge {
  readonly edit: ChallengeEdit
  readonly kinds: FlagKinds
  /** What the platform lets its container ask for; undefined: it has none. */
  readonly choices: ContainerChoices | undefined
  readonly state: ChallengeState
  /** What is noted of its file; undefined: it comes from none. */
  readonly source: ChallengeSource | undefined
}

/** A game as the platform has it. */
export interface PresentGame {
  readonly game: AdminGame
  readonly source: GameSource
  readonly challenges: readonly PresentChallenge[]
}

/** Calls at a time: the platform limits them by the minute. */
const readsAtOnce = 4

const unlabeled: ChallengeLabels = { tags: [], difficulty: null }

const readLabels = async (platform: Platform, gameId: number): Promise<ReadonlyMap<number, ChallengeLabels>> => {
  const labeled = await platform.call(ownOperations.listChallengeLabels, { params: { id: gameId } })
  return new Map(labeled.map(({ id, ...labels }) => [id, labels]))
}

/** @param known its labels, where they were read before */
export const readChallenge = async (
  platform: Platform,
  gameId: number,
  id: number,
  source: ChallengeSource | undefined,
  known?: ChallengeLabels,
): Promise<PresentChallenge> => {
  const params = { id: gameId, cid: id }
  const edit = await platform.call(operations.adminGetChallenge, { params })
  const labels = known ?? (await readLabels(platform, gameId)).get(id) ?? unlabeled
  const isRun = hasContainer(edit.type)
  const reach = isRun ? await platform.call(ownOperations.getChallengeReach, { params }) : defaultReach
  const settings = isRun ? await platform.call(ownOperations.getContainerDefinition, { params }) : undefined
  const rules =
    hasSharedFlags(edit.type) && edit.flags.length > 0 ? await platform.call(ownOperations.listFlagRules, { params }) : []
  const kinds = new Map(rules.map(({ id: flag, kind }) => [flag, kind]))
  const state = stateOfPlatform(edit, { labels, reach, container: settings?.definition ?? {}, kinds })
  return { edit, kinds, choices: settings?.choices, state, source }
}

export const readGame = async (platform: Platform, gameId: number): Promise<PresentGame> => {
  const params = { id: gameId }
  const [game, source, briefs, labels] = await Promise.all([
    platform.call(operations.adminGetGame, { params }),
    platform.call(ownOperations.getGameSource, { params }),
    platform.call(operations.adminListChallenges, { params }),
    readLabels(platform, gameId),
  ])
  const sources = new Map(source.challenges.map((each) => [each.id, each]))
  const challenges: PresentChallenge[] = []
  for (let from = 0; from < briefs.length; from += readsAtOnce) {
    const some = briefs.slice(from, from + readsAtOnce)
    challenges.push(
      ...(await Promise.all(
        some.map(({ id }) => readChallenge(platform, gameId, id, sources.get(id), labels.get(id) ?? unlabeled)),
      )),
    )
  }
  return { game, source, challenges }
}

/** The game that files of this name are applied to; undefined: none. */
export const findGame = async (platform: Platform, name: string): Promise<number | undefined> =>
  (await platform.call(ownOperations.findSourcedGame, { params: { name } })).id ?? undefined
