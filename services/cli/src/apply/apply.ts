import { randomBytes } from 'node:crypto'
import { extname } from 'node:path'
import { storedAddress } from '@capstan/challenge-files/markdown-targets'
import type { ChallengeUpdate, FlagInput } from '@capstan/contract/challenges'
import type { AttachmentInput } from '@capstan/contract/files'
import { Limits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { GameFolder } from '../game-folder.ts'
import { flagsOnlyIn } from '../plan/diff.ts'
import {
  type ChallengePlan,
  changesOf,
  gameChangesOf,
  madeFromField,
  madeFromOf,
  type Plan,
  posterFileField,
  rememberedOf,
  secretValuesField,
} from '../plan/plan.ts'
import { type PresentChallenge, type PresentGame, readChallenge, readGame } from '../plan/read-platform.ts'
import type { Platform, UploadFile } from '../platform.ts'
import { type FlagsToMake, fillHex, refuseContainer, type WantedChallenge } from '../resolve/resolve-challenge.ts'
import type { WantedGame } from '../resolve/resolve-game.ts'
import { Unresolved } from '../resolve/surroundings.ts'
import type { Uploads } from '../resolve/text.ts'
import {
  type ChallengeState,
  containerFields,
  definitionOfState,
  type FileState,
  type FlagState,
  stateOfFlag,
} from '../state/challenge-state.ts'
import { digestOf } from '../state/digest.ts'
import { type GameState, posterHashOf, stateOfGame, writeOfGame } from '../state/game-state.ts'
import { compareSecrets, marksIn } from '../state/secret-marks.ts'

export interface ApplyInput {
  readonly platform: Platform
  readonly folder: GameFolder
  readonly plan: Plan
  /** Challenges whose files are gone are deleted. */
  readonly prune: boolean
  /** Told before each step. */
  readonly progress?: (step: { readonly done: number; readonly total: number; readonly what: string }) => void
}

/** Flags with files are made in lots of this many, so that little is lost if it breaks off. */
const flagsPerLot = 50

const same = (left: unknown, right: unknown): boolean => digestOf(left) === digestOf(right)

/** Only those of `fields`, as the calls spell them; turning on comes last, when all else is there. */
const updateOf = (state: ChallengeState, fields: ReadonlySet<string>): ChallengeUpdate => {
  const parts: readonly (readonly [string, ChallengeUpdate])[] = [
    ['title', { title: state.title }],
    ['category', { category: state.category }],
    ['description', { content: state.description }],
    ['points', { originalScore: state.points }],
    ['minimumShare', { minScoreRate: state.minimumShare }],
    ['difficulty', { difficulty: state.difficulty }],
    ['hints', { hints: [...state.hints] }],
    ['template', { flagTemplate: state.template }],
    ['attachmentName', { fileName: state.attachmentName }],
    ['image', { containerImage: state.image }],
    ['port', { containerExposePort: state.port }],
    ['memoryMb', { memoryLimit: state.memoryMb }],
    ['cpuTenths', { cpuCount: state.cpuTenths }],
    ['storageMb', { storageLimit: state.storageMb }],
    ['capture', { enableTrafficCapture: state.capture }],
    ['enabled', state.enabled ? {} : { isEnabled: false }],
  ]
  return Object.assign({}, ...parts.filter(([field]) => fields.has(field)).map(([, update]) => update)) as ChallengeUpdate
}

const attachmentInput = (file: FileState | null): AttachmentInput => {
  if (file === null) return { attachmentType: 'None' }
  return 'url' in file ? { attachmentType: 'Remote', remoteUrl: file.url } : { attachmentType: 'Local', fileHash: file.hash }
}

const createApplier = (platform: Platform, gameId: number) => {
  const upload = (files: readonly UploadFile[]) => platform.call(operations.uploadFiles, { files })

  /** Images that a text names and that it did not name before. */
  const uploadImages = async (images: Uploads, before: string): Promise<void> => {
    for (const [hash, { name, content }] of images)
      if (!before.includes(storedAddress({ hash, name }))) await upload([{ name, content }])
  }

  const uploadFile = async (files: Uploads, file: FileState | null): Promise<void> => {
    const found = file !== null && 'hash' in file ? files.get(file.hash) : undefined
    if (found && file && 'name' in file) await upload([{ name: file.name, content: found.content }])
  }

  const params = (cid: number) => ({ id: gameId, cid })

  const makeFlags = async (cid: number, { template, count, as, make }: FlagsToMake): Promise<void> => {
    for (let done = 0; done < count; done += flagsPerLot) {
      const inputs: FlagInput[] = []
      for (let index = done; index < Math.min(done + flagsPerLot, count); index++) {
        const flag = fillHex(template, randomBytes(6).toString('hex'))
        // Numbered, not named after the flag: names of uploads are listed and logged.
        const [stored] = await upload([{ name: `${index + 1}-${as}`, content: await make(flag) }])
        inputs.push({ flag, attachmentType: 'Local', fileHash: stored?.hash ?? null })
      }
      await platform.call(operations.addFlags, { params: params(cid), body: inputs })
    }
  }

  /**
   * Adds flags that are not compared letter by letter; old ones give way where the platform takes no more.
   * @param makeRoom deletes one; false: there is none that may go
   */
  const addRules = async (
    cid: number,
    added: readonly FlagState[],
    presentCount: number,
    makeRoom: () => Promise<boolean>,
  ): Promise<void> => {
    const rules = added.flatMap(({ flag, kind }) => (kind === undefined ? [] : [{ flag, kind }]))
    let count = presentCount
    while (rules.length > 0) {
      const isFull = count >= Limits.flagRulesMax
      if (isFull && (await makeRoom())) count -= 1
      // Where nothing may go, the platform says what is too much.
      const lot = rules.splice(0, isFull ? 1 : Limits.flagRulesMax - count)
      await platform.call(ownOperations.addFlagRules, { params: params(cid), body: lot })
      count += lot.length
    }
  }

  const applyFlags = async (cid: number, present: PresentChallenge, wanted: WantedChallenge): Promise<void> => {
    const added = flagsOnlyIn(wanted.state.flags, present.state.flags)
    for (const { file } of added) await uploadFile(wanted.files, file)
    const exact = added.filter(({ kind }) => kind === undefined)
    if (exact.length > 0)
      await platform.call(operations.addFlags, {
        params: params(cid),
        body: exact.map(({ flag, file }) => ({ flag, ...(file && attachmentInput(file)) })),
      })
    if (wanted.toMake) await makeFlags(cid, wanted.toMake)
    // After the new ones are there: a challenge that loses its last flag would be closed.
    const listed = present.edit.flags.map((entry) => ({ ...stateOfFlag(entry, present.kinds), id: entry.id }))
    const outdated = flagsOnlyIn(listed, wanted.state.flags)
    const remove = async ({ id }: { readonly id: number }): Promise<void> => {
      await platform.call(operations.deleteFlag, { params: { ...params(cid), fid: id } })
    }
    await addRules(cid, added, present.kinds.size, async () => {
      const at = outdated.findIndex(({ kind }) => kind !== undefined)
      const [found] = at < 0 ? [] : outdated.splice(at, 1)
      if (found) await remove(found)
      return found !== undefined
    })
    for (const flag of outdated) await remove(flag)
  }

  return {
    /** Makes one challenge what its file wants. What is there already is left alone, so that it may break off anywhere. */
    async challenge({ loaded, wanted, present: known }: ChallengePlan): Promise<void> {
      if (!wanted) return
      const { name } = loaded.challenge
      const { state, type } = wanted
      const opened = known
        ? { id: known.edit.id, isNew: false }
        : await platform.call(ownOperations.openSourcedChallenge, {
            params: { id: gameId },
            body: { name, title: state.title, category: state.category, type },
          })
      const cid = opened.id
      const present = known ?? (await readChallenge(platform, gameId, cid, undefined))
      const refusal = refuseContainer(state, present.choices)
      if (refusal !== undefined) throw new Unresolved(`${loaded.file}: ${refusal}`)
      const note = (remembered: Record<string, string>) =>
        platform.call(ownOperations.setChallengeSource, { params: params(cid), body: { name, remembered } })
      const fields = new Set(changesOf(present, wanted).map(({ field }) => field))
      const before = present.source?.name === name ? present.source.remembered : undefined
      const secrets = compareSecrets(state.secrets, wanted.secretValues, before ?? {})
      const after = { ...rememberedOf(state), ...madeFromOf(wanted), ...secrets.marked() }
      // What is about to change is nobody's until it is done: an attempt that breaks off is no change of somebody else.
      const stale = marksIn(before ?? {})
      const isSafe = ([field]: [string, string]) =>
        !fields.has(field === madeFromField ? 'attachment' : field) && !Object.hasOwn(stale, field)
      const safe = { ...Object.fromEntries(Object.entries(before ?? {}).filter(isSafe)), ...secrets.kept }
      if (fields.size > 0 && known && (!before || !same(safe, before))) await note(safe)

      if (fields.has('description')) await uploadImages(wanted.images, present.state.description)
      const update = updateOf(state, fields)
      if (Object.keys(update).length > 0) await platform.call(operations.updateChallenge, { params: params(cid), body: update })
      if ([...fields].some((field) => containerFields.has(field) || field === 'secrets' || field === secretValuesField))
        await platform.call(ownOperations.setContainerDefinition, {
          params: params(cid),
          body: {
            ...definitionOfState(state),
            ...(state.secrets.length > 0 && {
              secrets: state.secrets.map((secret) => ({ name: secret, value: wanted.secretValues.get(secret) ?? null })),
            }),
          },
        })
      if (fields.has('tags') || fields.has('level'))
        await platform.call(ownOperations.setChallengeLabels, {
          params: params(cid),
          body: { tags: [...state.tags], difficulty: state.level },
        })
      if (fields.has('reach')) await platform.call(ownOperations.setChallengeReach, { params: params(cid), body: state.reach })
      if (fields.has('attachment')) {
        await uploadFile(wanted.files, state.attachment)
        await platform.call(operations.setAttachment, { params: params(cid), body: attachmentInput(state.attachment) })
      }
      if (fields.has('flags')) await applyFlags(cid, present, wanted)
      if (fields.has('enabled') && state.enabled)
        await platform.call(operations.updateChallenge, { params: params(cid), body: { isEnabled: true } })
      if (wanted.toMake) {
        const { state: made } = await readChallenge(platform, gameId, cid, undefined)
        await note({ ...after, flags: digestOf(made.flags) })
      } else if (!before || !same(sorted(before), sorted(after))) await note(after)
    },

    /** Makes the settings of the game what its file wants. */
    async game(present: PresentGame, name: string, wanted: WantedGame): Promise<void> {
      const params = { id: gameId }
      const changes = new Set(gameChangesOf(present, wanted).map(({ field }) => field))
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
        const files = [{ name: wanted.poster.name, content: wanted.poster.content, type: typeOfPicture(wanted.poster.name) }]
        const address = await platform.call(operations.setGamePoster, { params, files })
        poster = address.split('/')[2] ?? null
      }
      const current = stateOfGame(present.game)
      const state: GameState = { ...wanted.state, poster }
      if (changes.has('description')) await uploadImages(wanted.images, current.description)
      const hasSettings = [...changes].some((field) => field !== 'poster')
      if (hasSettings) await platform.call(operations.updateGame, { params, body: writeOfGame(state) })
      const after = { ...rememberedOf(state), ...(wanted.poster && { [posterFileField]: wanted.poster.hash }) }
      if (!before || !same(sorted(before), sorted(after))) await note(after)
    },

    async delete(cid: number): Promise<void> {
      await platform.call(operations.deleteChallenge, { params: params(cid) })
    },
  }
}

/** The database does not keep the order of members. */
const sorted = (record: Readonly<Record<string, string>>): unknown => Object.entries(record).sort(([a], [b]) => (a < b ? -1 : 1))

const pictureTypes: Readonly<Record<string, string>> = {
  '.png': 'image/png',
  '.jpg': 'image/jpeg',
  '.jpeg': 'image/jpeg',
  '.webp': 'image/webp',
  '.gif': 'image/gif',
  '.avif': 'image/avif',
}

const typeOfPicture = (name: string): string => pictureTypes[extname(name).toLowerCase()] ?? 'application/octet-stream'

/** Makes the game if it is not there: hidden, until all of it is. */
const openGame = async ({ platform, folder, plan }: ApplyInput): Promise<number> => {
  if (plan.present) return plan.present.game.id
  const { game: file } = folder
  const { wanted } = plan.game
  if (!file || !wanted) throw new Error('Without a file of the kind Game there is nothing to make a game of.')
  const { id } = await platform.call(ownOperations.openSourcedGame, {
    body: { name: file.game.name, settings: writeOfGame({ ...wanted.state, description: '', hidden: true, poster: null }) },
  })
  return id
}

/**
 * Makes the platform what the files want, one call after the other, so that it may break off after any and be run again. Deletes
 * nothing but what `plan.deletions` lists, and that only with `prune`.
 *
 * @returns the number of the game
 */
export const applyPlan = async (input: ApplyInput): Promise<number> => {
  const { platform, folder, plan, prune, progress = () => {} } = input
  const deletions = prune ? plan.deletions.filter(({ refusal }) => refusal === undefined) : []
  const total = plan.challenges.length + deletions.length + 1
  let done = 0
  const step = (what: string) => progress({ done: done++, total, what })

  const gameId = await openGame(input)
  const apply = createApplier(platform, gameId)
  for (const challenge of plan.challenges) {
    step(challenge.loaded.challenge.name)
    await apply.challenge(challenge)
  }
  for (const { present } of deletions) {
    step(present.source?.name ?? present.state.title)
    await apply.delete(present.edit.id)
  }
  step('game')
  const { game: file } = folder
  const { wanted } = plan.game
  // Last, for it may open the game to players.
  if (file && wanted) await apply.game(plan.present ?? (await readGame(platform, gameId)), file.game.name, wanted)
  return gameId
}
