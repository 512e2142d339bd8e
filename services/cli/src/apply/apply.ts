import { randomBytes } from 'node:crypto'
import { openAsBlob } from 'node:fs'
import { rm } from 'node:fs/promises'
import { extname } from 'node:path'
import { subtractFlags } from '@capstan/challenge-files/challenge/flags'
import { addressOfStoredFile } from '@capstan/challenge-files/markdown-targets'
import type { Challenge } from '@capstan/contract/challenge'
import { toChallengeWrite } from '@capstan/contract/challenge-parts'
import type { FlagInput } from '@capstan/contract/challenges'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { GameFolder } from '../game-folder.ts'
import {
  type ChallengePlan,
  inputDigestsOf,
  listChallengeChanges,
  listGameChanges,
  type Plan,
  posterFileField,
  storedDigestsOf,
} from '../plan/plan.ts'
import { type PresentChallenge, type PresentGame, readPlatformGame } from '../plan/read-platform.ts'
import { type Platform, Refused, type UploadFile } from '../platform.ts'
import { type FlagsToGenerate, fillHexPlaceholder, setPrerequisites, type WantedChallenge } from '../resolve/resolve-challenge.ts'
import { Unresolved } from '../resolve/resolve-context.ts'
import type { WantedGame } from '../resolve/resolve-game.ts'
import type { Uploads } from '../resolve/text.ts'
import { secretNamesOf } from '../state/challenge-fields.ts'
import { digestOfValue, digestsOfFields } from '../state/digest.ts'
import { createRightsUpdate, type DivisionRightsState } from '../state/division-rights.ts'
import { createGameUpdate, type GameState, posterHashOf, settingsOfGame } from '../state/game-state.ts'
import { compareSecrets } from '../state/secret-marks.ts'

export type ApplyInput = Readonly<{
  platform: Platform
  folder: GameFolder
  plan: Plan
  /** True if the command deletes the challenges on the platform whose files were deleted. */
  prune: boolean
  progress?: (step: Readonly<{ done: number; total: number; what: string }>) => void
}>

/** Number of flags with files per request. A small number limits the lost work if the command is interrupted. */
const flagsPerLot = 50

function same(left: unknown, right: unknown): boolean {
  return digestOfValue(left) === digestOfValue(right)
}

/** Returns the digests to store on the platform after a challenge was applied. */
function digestsAfterApply(
  wanted: WantedChallenge,
  before: Readonly<Record<string, string>> | undefined,
): Record<string, string> {
  const secrets = compareSecrets(secretNamesOf(wanted.challenge), wanted.secretValues, before ?? {})
  return { ...storedDigestsOf(wanted.challenge), ...inputDigestsOf(wanted), ...secrets.marked() }
}

/** Returns the challenges in an order in which each challenge follows its prerequisites, except in a cycle. */
function sortByPrerequisites(challenges: readonly ChallengePlan[]): ChallengePlan[] {
  const byName = new Map(challenges.map((each) => [each.loaded.challenge.name, each]))
  const sorted: ChallengePlan[] = []
  const seen = new Set<ChallengePlan>()
  const visit = (each: ChallengePlan): void => {
    if (seen.has(each)) return
    seen.add(each)
    for (const name of each.wanted?.after ?? []) {
      const prerequisite = byName.get(name)
      if (prerequisite) visit(prerequisite)
    }
    sorted.push(each)
  }
  for (const each of challenges) visit(each)
  return sorted
}

function createApplier(platform: Platform, gameId: number, plan: Plan) {
  const plans = new Map(plan.challenges.map((each) => [each.loaded.challenge.name, each]))
  /** Ids of the challenges that this command created, by name. */
  const created = new Map<string, number>()

  /**
   * Returns the id of a challenge that was already on the platform, or that this command has already created.
   * @throws Unresolved with the reason `whyRefused` if the challenge was refused
   */
  const idOf = (name: string, whyRefused: string): number => {
    const planned = plans.get(name)
    const present = planned?.present ?? plan.present?.challenges.find(({ source }) => source?.name === name)
    const id = present?.id ?? created.get(name)
    if (id === undefined) throw new Unresolved(planned ? whyRefused : `No challenge has the name ${name}.`)
    return id
  }

  const upload = (files: readonly UploadFile[]) => platform.call(operations.uploadFiles, { files })

  /** Uploads the images in the new text that were not in the previous text. */
  const uploadImages = async (images: Uploads, before: string): Promise<void> => {
    for (const [hash, { name, content }] of images)
      if (!before.includes(addressOfStoredFile({ hash, name }))) await upload([{ name, content: await content.open() }])
  }

  const params = (cid: number) => ({ id: gameId, cid })

  const makeFlags = async (cid: number, { template, count, as, make }: FlagsToGenerate): Promise<void> => {
    for (let done = 0; done < count; done += flagsPerLot) {
      const inputs: FlagInput[] = []
      for (let index = done; index < Math.min(done + flagsPerLot, count); index++) {
        const flag = fillHexPlaceholder(template, randomBytes(6).toString('hex'))
        // Lists and logs contain the names of uploads. The names are therefore numbered and do not contain the flag.
        const path = await make(flag)
        const [stored] = await upload([{ name: `${index + 1}-${as}`, content: await openAsBlob(path) }])
        await rm(path)
        inputs.push({ flag, attachmentType: 'Local', fileHash: stored?.hash ?? null })
      }
      await platform.call(operations.addFlags, { params: params(cid), body: inputs })
    }
  }

  const uploadFiles = async ({ challenge, files, images }: WantedChallenge, before: Challenge | undefined): Promise<void> => {
    await uploadImages(images, before?.description ?? '')
    const filesOf = ({ attachment, flags }: Challenge) => [attachment, ...flags.map(({ file }) => file)]
    const hashesOf = (each: Challenge) => filesOf(each).flatMap((file) => (file !== null && 'hash' in file ? [file.hash] : []))
    const known = new Set(before === undefined ? [] : hashesOf(before))
    for (const hash of new Set(hashesOf(challenge))) {
      const file = files.get(hash)
      if (file && !known.has(hash)) await upload([{ name: file.name, content: await file.content.open() }])
    }
  }

  /**
   * Uploads the files of a new challenge, and creates the challenge in one call. If flags must still be generated, the challenge is
   * created without digests and disabled. If the platform already has a challenge with this name, that challenge does not change.
   */
  const create = async (name: string, wanted: WantedChallenge) => {
    await uploadFiles(wanted, undefined)
    const { challenge, toMake } = wanted
    const body = {
      challenge: toChallengeWrite(toMake ? { ...challenge, enabled: false } : challenge),
      source: { name, remembered: toMake ? {} : digestsAfterApply(wanted, undefined) },
    }
    const made = await platform.call(ownOperations.openSourcedChallenge, { params: { id: gameId }, body })
    created.set(name, made.id)
    return made
  }

  const setRights = async (wanted: readonly DivisionRightsState[]): Promise<void> => {
    const divisions = await platform.call(ownOperations.listDivisions, { params: { id: gameId } })
    const names = new Map(plan.present?.challenges.flatMap(({ id, source }) => (source ? [[id, source.name] as const] : [])))
    const ids = new Map<string, number>()
    for (const [name, { present }] of plans) if (present) names.set(present.id, name)
    for (const name of new Set(wanted.flatMap(({ challenges }) => Object.keys(challenges))))
      ids.set(name, idOf(name, `divisions: The rights for ${name} were not set, because this challenge was refused.`))
    for (const [name, id] of ids) names.set(id, name)
    const nameById = (id: number) => names.get(id)
    for (const division of divisions) {
      const rights = wanted.find(({ name }) => name === division.name)
      if (!rights) continue
      const body = createRightsUpdate(rights, division, ids, nameById)
      await platform.call(ownOperations.updateDivision, { params: { id: gameId, did: division.id }, body })
    }
  }

  return {
    async challenge(challengePlan: ChallengePlan): Promise<void> {
      const { loaded, wanted: planned, present: known } = challengePlan
      if (!planned) return
      const { name } = loaded.challenge
      const prerequisites = planned.after.map((each) =>
        idOf(each, `Refused, because its prerequisite ${each} was refused, or waits for this challenge.`),
      )
      const wanted = { ...planned, challenge: setPrerequisites(planned.challenge, prerequisites) }
      const { challenge, toMake } = wanted
      const { id: cid, isNew } = known ? { id: known.id, isNew: false } : await create(name, wanted)
      if (isNew && !toMake) return
      const read = () => platform.call(ownOperations.getFullChallenge, { params: params(cid) })
      const present: PresentChallenge | undefined = known ?? (isNew ? undefined : { ...(await read()), source: undefined })
      const note = (remembered: Record<string, string>) =>
        platform.call(ownOperations.setChallengeSource, { params: params(cid), body: { name, remembered } })
      const before = present?.source?.name === name ? present.source.remembered : undefined
      const after = digestsAfterApply(wanted, before)
      if (present && listChallengeChanges(present, wanted).length === 0) {
        if (!before || !same(sorted(before), sorted(after))) await note(after)
        return
      }
      if (present) await uploadFiles(wanted, present.challenge)
      if (!toMake) {
        const body = {
          version: present?.version ?? null,
          challenge: toChallengeWrite(challenge),
          source: { name, remembered: after },
        }
        await platform.call(ownOperations.replaceChallenge, { params: params(cid), body })
        return
      }
      // Delete the stored digest of the flags first. Otherwise, after an interruption, the new flags would look like changes on
      // the platform.
      const { flags: _, ...safe } = before ?? {}
      if (before && !same(safe, before)) await note(safe)
      await makeFlags(cid, toMake)
      const current = await read()
      const outdated = subtractFlags(present?.challenge.flags ?? [], challenge.flags)
      const made = subtractFlags(current.challenge.flags, [...challenge.flags, ...outdated])
      const whole = { ...challenge, flags: [...challenge.flags, ...made] }
      const remembered = { ...after, ...storedDigestsOf(whole) }
      const body = { version: current.version, challenge: toChallengeWrite(whole), source: { name, remembered } }
      await platform.call(ownOperations.replaceChallenge, { params: params(cid), body })
    },

    /** Changes the settings of the game to those in its file. */
    async game(present: PresentGame, name: string, wanted: WantedGame): Promise<void> {
      const params = { id: gameId }
      const changes = new Set(listGameChanges(present, wanted).map(({ field }) => field))
      const note = (remembered: Record<string, string>) =>
        platform.call(ownOperations.setGameSource, { params, body: { name, remembered } })
      const before = present.source.name === name ? present.source.remembered : undefined
      const safe = Object.fromEntries(
        Object.entries(before ?? {}).filter(
          ([field]) => !changes.has(field) && !(field === posterFileField && changes.has('poster')),
        ),
      )
      if (changes.size > 0 && before && !same(safe, before)) await note(safe)
      let poster = posterHashOf(present.game)
      if (changes.has('poster') && wanted.poster) {
        const { name: fileName, content } = wanted.poster
        const files = [{ name: fileName, content: await content.open(), type: typeOfPicture(fileName) }]
        const address = await platform.call(operations.setGamePoster, { params, files })
        poster = address.split('/')[2] ?? null
      }
      const current = settingsOfGame(present)
      const state: GameState = { ...wanted.state, poster }
      if (changes.has('description')) await uploadImages(wanted.images, current.description)
      const hasSettings = [...changes].some((field) => !['poster', 'divisionRights', 'certificate'].includes(field))
      if (hasSettings) await platform.call(operations.updateGame, { params, body: createGameUpdate(state) })
      if (changes.has('certificate') && state.certificate)
        await platform.call(ownOperations.updateCertificate, { params, body: state.certificate })
      // Store rights only for divisions whose rights the file mentions. A division without stored rights has rights that depend on
      // the review rule of the game.
      const rights = state.divisionRights.filter((each) => wanted.divisionsWithRights.has(each.name))
      if (changes.has('divisionRights')) await setRights(rights)
      const after = { ...digestsOfFields(state), ...(wanted.poster && { [posterFileField]: wanted.poster.content.hash }) }
      if (!before || !same(sorted(before), sorted(after))) await note(after)
    },

    async delete(cid: number): Promise<void> {
      await platform.call(operations.deleteChallenge, { params: params(cid) })
    },
  }
}

/**
 * Returns the names and values of a JSON object in a fixed order, because the database does not preserve the order of JSON
 * properties.
 */
function sorted(record: Readonly<Record<string, string>>): unknown {
  return Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))
}

const pictureTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.avif': 'image/avif',
}

function typeOfPicture(name: string): string {
  return pictureTypes[extname(name).toLowerCase()] ?? 'application/octet-stream'
}

/** Creates the game if it does not exist. The new game is hidden until everything is applied. */
async function openGame({ platform, folder, plan }: ApplyInput): Promise<number> {
  if (plan.present) return plan.present.game.id
  const { game: file } = folder
  const { wanted } = plan.game
  if (!file || !wanted) throw new Error('The game cannot be created: no file of the kind Game was found.')
  const { id } = await platform.call(ownOperations.openSourcedGame, {
    body: { name: file.game.name, settings: createGameUpdate({ ...wanted.state, description: '', hidden: true, poster: null }) },
  })
  return id
}

/** Challenge that was not applied, with the reason. */
export type Failure = Readonly<{
  file: string
  why: string
}>

/**
 * Applies a part of the plan.
 * @returns the reason if this part cannot be applied, but other parts may still be applied
 * @throws if no part can be applied, for example because the token was revoked
 */
async function attempt(part: () => Promise<void>): Promise<string | undefined> {
  try {
    await part()
    return undefined
  } catch (cause) {
    if (cause instanceof Unresolved) return cause.message
    const isRefusal = cause instanceof Refused && cause.status < 500 && cause.status !== 401
    if (!isRefusal || cause.code?.startsWith('token.') === true) throw cause
    return cause.message
  }
}

/**
 * Applies the files to the platform. If one challenge fails, the function continues with the next challenge.
 * @returns the id of the game, and the challenges that were not applied
 */
export async function applyPlan(input: ApplyInput): Promise<Readonly<{ gameId: number; failures: readonly Failure[] }>> {
  const { platform, folder, plan, prune, progress = () => {} } = input
  const deletions = prune ? plan.deletions.filter(({ refusal }) => refusal === undefined) : []
  const total = plan.challenges.length + deletions.length + 1
  let done = 0
  const step = (what: string) => progress({ done: done++, total, what })

  const failures: Failure[] = []
  const gameId = await openGame(input)
  const apply = createApplier(platform, gameId, plan)
  for (const challenge of sortByPrerequisites(plan.challenges)) {
    const { file, challenge: wanted } = challenge.loaded
    step(wanted.name)
    const why = challenge.refusal ?? (await attempt(() => apply.challenge(challenge)))
    if (why !== undefined) failures.push({ file, why: `${wanted.title}: ${why}` })
  }
  for (const { present } of deletions) {
    step(present.source?.name ?? present.challenge.title)
    await apply.delete(present.id)
  }
  step('game')
  const { game: file } = folder
  const { wanted } = plan.game
  // Apply the settings last, because they may make the game visible to players.
  if (file && wanted) {
    const why = await attempt(async () =>
      apply.game(plan.present ?? (await readPlatformGame(platform, gameId)), file.game.name, wanted),
    )
    if (why !== undefined) failures.push({ file: file.file, why })
  }
  return { gameId, failures }
}
