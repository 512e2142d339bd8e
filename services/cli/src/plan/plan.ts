import type { Challenge } from '@capstan/contract/challenge'
import type { ContainerChoices } from '@capstan/contract/container-definition'
import { ownOperations } from '@capstan/contract/operations'
import type { GameFolder, LoadedChallenge } from '../game-folder.ts'
import type { Platform } from '../platform.ts'
import { refuseContainers, resolveChallenge, type WantedChallenge } from '../resolve/resolve-challenge.ts'
import { type ResolveContext, Unresolved } from '../resolve/resolve-context.ts'
import { resolveGame, type WantedGame } from '../resolve/resolve-game.ts'
import { pickFieldsToCompare, secretChallengeFields, secretNamesOf, storedFieldName } from '../state/challenge-fields.ts'
import { digestOfValue, digestsOfFields } from '../state/digest.ts'
import { posterHashOf, secretGameFields, settingsOfGame } from '../state/game-state.ts'
import { compareSecrets } from '../state/secret-marks.ts'
import { type FieldChange, listFieldChanges } from './diff.ts'
import { type PresentChallenge, type PresentGame, readPlatformGame, selectRightsForChallenges } from './read-platform.ts'

export type ChallengePlan = Readonly<{
  loaded: LoadedChallenge
  action: 'create' | 'update' | 'keep' | 'refuse'
  /** Challenge on the platform. Undefined if the plan creates it. */
  present: PresentChallenge | undefined
  /** Challenge as described in its file. Undefined if the plan refuses the challenge. */
  wanted: WantedChallenge | undefined
  changes: readonly FieldChange[]
  /** Reason why the challenge cannot be applied. */
  refusal?: string
}>

export type GamePlan = Readonly<{
  action: 'create' | 'update' | 'keep'
  /** Game as described in its file. Undefined if there is no such file; the settings then do not change. */
  wanted: WantedGame | undefined
  changes: readonly FieldChange[]
}>

export type Deletion = Readonly<{
  present: PresentChallenge
  /** Reason why the command does not delete the challenge. */
  refusal?: string
}>

export type Plan = Readonly<{
  /** Game on the platform. Undefined if the plan creates it. */
  present: PresentGame | undefined
  game: GamePlan
  challenges: readonly ChallengePlan[]
  /** Challenges on the platform whose files were deleted. They are deleted only with `--prune`. */
  deletions: readonly Deletion[]
  /** Challenges on the platform that never had a file. */
  others: readonly PresentChallenge[]
}>

/** Field that represents the values of all secret variables of a container. */
export const secretValuesField = 'secretValues'

/** Field for the digest of the inputs of a generated attachment. The platform stores this digest. */
export const madeFromField = 'madeFrom'

/** Field for the digest of a picture file. The platform stores this digest, because the poster is a conversion of the picture. */
export const posterFileField = 'posterFile'

export type PlanInput = Readonly<{
  platform: Platform
  folder: GameFolder
  resolveContext: ResolveContext
  /** Id of the game. Undefined if the game does not exist yet. */
  gameId: number | undefined
  newTimes: Readonly<{ starts: string; ends: string; writeupsDeadline: string }>
}>

function keyOf(title: string, category: string): string {
  return JSON.stringify([title, category])
}

/**
 * Finds the challenge on the platform that belongs to each file: by name, or by title and category if only one challenge matches.
 */
export function matchChallenges(
  { challenges: files }: GameFolder,
  present: readonly PresentChallenge[],
): Map<LoadedChallenge, PresentChallenge> {
  const named = new Map(present.flatMap((each) => (each.source ? [[each.source.name, each] as const] : [])))
  const nameless = Map.groupBy(
    present.filter(({ source }) => !source),
    ({ challenge }) => keyOf(challenge.title, challenge.category),
  )
  const unmatched = files.filter(({ challenge }) => !named.has(challenge.name))
  const byTitle = Map.groupBy(unmatched, ({ challenge }) => keyOf(challenge.title.trim(), challenge.category))
  const matched = new Map<LoadedChallenge, PresentChallenge>()
  for (const file of files) {
    const key = keyOf(file.challenge.title.trim(), file.challenge.category)
    const alike = nameless.get(key) ?? []
    const only = alike.length === 1 && byTitle.get(key)?.length === 1 ? alike[0] : undefined
    const found = named.get(file.challenge.name) ?? only
    if (found) matched.set(file, found)
  }
  return matched
}

/**
 * Returns the ids of challenges by name, for challenges on the platform and for challenges with a file. A challenge that does not
 * exist on the platform yet gets a negative number as id.
 */
export function mapChallengeIdsByName(
  { challenges: files }: GameFolder,
  present: readonly PresentChallenge[],
  matched: ReadonlyMap<LoadedChallenge, PresentChallenge>,
): Map<string, number> {
  return new Map([
    ...present.flatMap(({ id, source }) => (source ? [[source.name, id] as const] : [])),
    ...files.map((loaded, index) => [loaded.challenge.name, matched.get(loaded)?.id ?? -1 - index] as const),
  ])
}

/** Replaces the ids of prerequisites by the names of the challenges, because users do not know the ids. */
function namedChange(change: FieldChange, ids: ReadonlyMap<string, number>): FieldChange {
  if (change.field !== 'unlock') return change
  const names = new Map([...ids].map(([name, id]) => [id, name]))
  const named = (value: unknown) => {
    const rule = value as Challenge['unlock']
    return rule && { ...rule, after: rule.after.map((id) => names.get(id) ?? id) }
  }
  return { ...change, from: named(change.from), to: named(change.to) }
}

/** Returns the settings of containers that the platform allows. */
async function readChoices(platform: Platform, present: PresentGame | undefined): Promise<ContainerChoices> {
  const [known] = present?.challenges ?? []
  return known?.choices ?? (await platform.call(ownOperations.getEditGrant)).choices
}

async function planChallenge(
  { folder, resolveContext }: PlanInput,
  choices: ContainerChoices,
  ids: ReadonlyMap<string, number>,
  loaded: LoadedChallenge,
  present: PresentChallenge | undefined,
): Promise<ChallengePlan> {
  const refuse = (refusal: string): ChallengePlan => ({
    loaded,
    action: 'refuse',
    present,
    wanted: undefined,
    changes: [],
    refusal,
  })
  let wanted: WantedChallenge
  try {
    wanted = await resolveChallenge(folder.tree, loaded, resolveContext, ids, present?.challenge)
  } catch (cause) {
    if (cause instanceof Unresolved) return refuse(cause.message)
    throw cause
  }
  const refusal = refuseContainers(wanted.challenge, loaded, choices)
  if (!present) return refusal === undefined ? { loaded, action: 'create', present, wanted, changes: [] } : refuse(refusal)
  if (present.challenge.type !== wanted.challenge.type)
    return refuse(
      `The challenge has the type ${wanted.challenge.type} in the file, but ${present.challenge.type} on the platform. A type cannot change: rename the challenge in the file, or delete it on the platform.`,
    )
  if (refusal !== undefined) return refuse(refusal)
  const changes = listChallengeChanges(present, wanted).map((change) => namedChange(change, ids))
  return { loaded, action: changes.length > 0 ? 'update' : 'keep', present, wanted, changes }
}

/**
 * Returns the change of an attachment whose generator was not run.
 * @returns an empty list if neither its inputs nor the copy on the platform changed since the last apply
 */
function unknownAttachment({ challenge, source }: PresentChallenge, { made }: WantedChallenge): FieldChange[] {
  if (made === undefined || made.isKnown) return []
  const { attachment: before, [madeFromField]: madeFrom } = source?.remembered ?? {}
  const isForeign = before !== undefined && before !== digestOfValue(challenge.attachment)
  if (madeFrom === made.inputs && !isForeign) return []
  return [{ field: 'attachment', from: challenge.attachment, to: undefined, isSecret: false, isForeign, isUnknown: true }]
}

export function inputDigestsOf({ made }: WantedChallenge): Record<string, string> {
  return made === undefined ? {} : { [madeFromField]: made.inputs }
}

export function listChallengeChanges(present: PresentChallenge, wanted: WantedChallenge): FieldChange[] {
  const remembered = present.source?.remembered ?? {}
  const [before, after] = [pickFieldsToCompare(present.challenge), pickFieldsToCompare(wanted.challenge)]
  const differing = listFieldChanges(before, after, secretChallengeFields, remembered)
  const { hasChanged } = compareSecrets(secretNamesOf(wanted.challenge), wanted.secretValues, remembered)
  const values = { field: secretValuesField, from: undefined, to: undefined, isSecret: true, isForeign: false }
  const changes = [...differing, ...unknownAttachment(present, wanted), ...(hasChanged ? [values] : [])]
  if (!wanted.toMake || changes.some(({ field }) => field === 'flags')) return changes
  return [...changes, { field: 'flags', from: before.flags, to: after.flags, isSecret: true, isForeign: false }]
}

/** True if the poster on the platform is the picture with this hash, or was generated from that picture. */
function hasPoster({ game, source }: PresentGame, hash: string): boolean {
  const poster = posterHashOf(game)
  return (
    poster !== null &&
    (poster === hash || (source.remembered.poster === digestOfValue(poster) && source.remembered[posterFileField] === hash))
  )
}

export function listGameChanges(present: PresentGame, { state, poster }: WantedGame): FieldChange[] {
  const current = settingsOfGame(present)
  const { remembered } = present.source
  const changes = listFieldChanges({ ...current }, { ...state }, secretGameFields, remembered)
  if (!poster || hasPoster(present, poster.content.hash)) return changes
  const isForeign = Object.hasOwn(remembered, 'poster') && remembered.poster !== digestOfValue(current.poster)
  return [...changes, { field: 'poster', from: current.poster, to: poster.name, isSecret: false, isForeign }]
}

/** @param ids id of each challenge by name, with a negative id for each challenge that `apply` will create */
function planSettings(
  { folder, resolveContext, newTimes }: PlanInput,
  present: PresentGame | undefined,
  ids: ReadonlyMap<string, number>,
): GamePlan {
  const { game: file, tree } = folder
  const before = present
    ? settingsOfGame(present)
    : { ...newTimes, divisionRights: [], survey: 'Off' as const, certificate: null }
  const wanted = file && resolveGame(tree, file.folder, file.game, resolveContext, before)
  for (const { name, challenges } of wanted?.state.divisionRights ?? [])
    for (const challenge of Object.keys(challenges))
      if (!ids.has(challenge) && folder.unreadable.length === 0 && !folder.isPart)
        throw new Unresolved(`divisions: The division ${name} has rights for ${challenge}, but no challenge has this name.`)
  if (!present) return { action: 'create', wanted, changes: [] }
  if (folder.isPart) return { action: 'keep', wanted: undefined, changes: [] }
  const changes = wanted ? listGameChanges(present, wanted) : []
  return { action: changes.length > 0 ? 'update' : 'keep', wanted, changes }
}

/** @param unreadable files of challenges that cannot be read. One of these files may describe the challenge to delete */
function planDeletion(present: PresentChallenge, [unreadable]: readonly string[]): Deletion {
  if (unreadable !== undefined)
    return { present, refusal: `${unreadable} cannot be read, but may describe this challenge. Correct that file first.` }
  return present.solvers > 0
    ? {
        present,
        refusal:
          'Teams have solved this challenge, and their solves would be deleted, too. If you are sure, delete it in the browser.',
      }
    : { present }
}

/**
 * Compares the files with the platform and writes nothing.
 * @throws Unresolved if settings of the game cannot be applied
 */
export async function makePlan(input: PlanInput): Promise<Plan> {
  const { platform, folder, gameId } = input
  const known = gameId === undefined ? undefined : await readPlatformGame(platform, gameId)
  const matched = matchChallenges(folder, known?.challenges ?? [])
  const challenges: ChallengePlan[] = []
  const ids = mapChallengeIdsByName(folder, known?.challenges ?? [], matched)
  const present = known && selectRightsForChallenges(known, ids)
  const choices = await readChoices(platform, known)
  for (const loaded of folder.challenges) challenges.push(await planChallenge(input, choices, ids, loaded, matched.get(loaded)))
  const withFile = new Set(matched.values())
  const left = folder.isPart ? [] : (present?.challenges ?? []).filter((each) => !withFile.has(each))
  return {
    present,
    game: planSettings(input, present, ids),
    challenges,
    deletions: left.filter(({ source }) => source !== undefined).map((each) => planDeletion(each, folder.unreadable)),
    others: left.filter(({ source }) => source === undefined),
  }
}

/** Returns the digests of a challenge's fields, for storage on the platform. */
export function storedDigestsOf(challenge: Challenge): Record<string, string> {
  return digestsOfFields(pickFieldsToCompare(challenge), storedFieldName)
}

export type PlanCounts = Readonly<{
  add: number
  change: number
  delete: number
  refuse: number
}>

export function countPlannedChanges(plan: Plan, prune: boolean): PlanCounts {
  const count = (action: ChallengePlan['action']) => plan.challenges.filter((each) => each.action === action).length
  return {
    add: count('create') + (plan.game.action === 'create' ? 1 : 0),
    change: count('update') + (plan.game.action === 'update' ? 1 : 0),
    delete: prune ? plan.deletions.filter(({ refusal }) => refusal === undefined).length : 0,
    refuse: count('refuse') + (prune ? plan.deletions.filter(({ refusal }) => refusal !== undefined).length : 0),
  }
}

/** Returns fields that were edited on the platform and that the command `apply` would overwrite. */
export function listOverwrittenChanges(plan: Plan): Readonly<{ where: string; change: FieldChange }>[] {
  return [
    ...plan.game.changes.map((change) => ({ where: 'game', change })),
    ...plan.challenges.flatMap(({ loaded, changes }) => changes.map((change) => ({ where: loaded.challenge.name, change }))),
  ].filter(({ change }) => change.isForeign)
}
