import { convertFiles } from '@capstan/challenge-files/challenge/challenge'
import { isFlagRuleForEachTeam } from '@capstan/challenge-files/challenge/read-flags'
import { toChallengeFile } from '@capstan/challenge-files/challenge/write'
import { type ChallengeFile, containersOf, type FlagFile, type PlacedContainer } from '@capstan/challenge-files/format/challenge'
import { capstanFileName } from '@capstan/challenge-files/format/find'
import type { GameFile, Secret } from '@capstan/challenge-files/format/game'
import { createSchemaReferenceLine } from '@capstan/challenge-files/format/json-schema'
import { nameFromTitle } from '@capstan/challenge-files/importers/names'
import { addressOfLocalFile, parseStoredFileAddress, replaceMarkdownTargets } from '@capstan/challenge-files/markdown-targets'
import { chooseChallengeFolder } from '@capstan/challenge-files/safe-names'
import { folderOf, nameOf, resolvePath } from '@capstan/challenge-files/tree'
import { maxDescriptorBytes } from '@capstan/challenge-files/yaml'
import { pathOfStoredFile } from '@capstan/contract/asset-address'
import type { ChallengeFileRef } from '@capstan/contract/challenge'
import { InputLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { GameFolder, LoadedChallenge } from '../game-folder.ts'
import {
  listChallengeChanges,
  listGameChanges,
  madeFromField,
  mapChallengeIdsByName,
  matchChallenges,
  posterFileField,
  secretValuesField,
  storedDigestsOf,
} from '../plan/plan.ts'
import { type PresentChallenge, type PresentGame, readPlatformGame, selectRightsForChallenges } from '../plan/read-platform.ts'
import type { Platform } from '../platform.ts'
import { isGeneratedAttachment, isGeneratedBy, resolveChallenge, type WantedChallenge } from '../resolve/resolve-challenge.ts'
import { type ResolveContext, Unresolved } from '../resolve/resolve-context.ts'
import { resolveGame } from '../resolve/resolve-game.ts'
import type { Uploads } from '../resolve/text.ts'
import { digestsOfFields, normalizeLineEnds } from '../state/digest.ts'
import { type GameState, settingsOfGame } from '../state/game-state.ts'
import { challengePaths } from '../state/paths-in-file.ts'
import { pickStoredSecretMarks } from '../state/secret-marks.ts'
import { toGameFile } from './describe.ts'
import { createYamlText, setYamlFields } from './edit-yaml.ts'
import { createFileWriter, type DownloadedContent, type Writer } from './save-files.ts'

export type PullInput = Readonly<{
  platform: Platform
  folder: GameFolder
  resolveContext: ResolveContext
  gameId: number
  schema: string
  /** True if the command may link each challenge on the platform to its file. */
  mayStoreSource: boolean
  progress?: (step: Readonly<{ done: number; total: number; what: string }>) => void
}>

export type Pulled = Readonly<{
  written: readonly string[]
  missing: readonly string[]
}>

/** Maximum length of a text inside of `capstan.yaml`. A longer text gets a separate file. */
const maxInlineLength = 200

function at(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join('/')
}

const gamePaths: Readonly<Record<string, readonly (readonly string[])[]>> = {
  title: [['title']],
  hidden: [['hidden']],
  summary: [['summary']],
  poster: [['poster']],
  starts: [['starts']],
  ends: [['ends']],
  practice: [['practice']],
  acceptWithoutReview: [['acceptWithoutReview']],
  inviteCode: [['inviteCode']],
  divisions: [['divisions']],
  divisionRights: [['divisions']],
  teamSize: [['teamSize']],
  instancesPerTeam: [['instancesPerTeam']],
  writeupsRequired: [['writeups', 'required']],
  writeupsDeadline: [['writeups', 'deadline']],
  writeupsNote: [['writeups', 'note']],
  bloodBonus: [['bloodBonus']],
  bloodPoints: [['bloodPoints']],
  allowsDebt: [['allowsDebt']],
  freeze: [['freeze']],
  registrationOpens: [['registration', 'opens']],
  registrationCloses: [['registration', 'closes']],
  teamLimit: [['registration', 'teams']],
  survey: [['survey']],
  questions: [['questions']],
  certificate: [['certificate']],
}

/** Paths of the fields for containers. A list is written as a whole, because a path cannot name an item of a list. */
const listPaths: readonly (readonly string[])[] = [['container'], ['containers']]

/** Replaces each image in `containers` by its build folder, if the image was built from this folder. */
function withBuilds(
  fresh: ChallengeFile,
  known: readonly PlacedContainer[],
  wanted: readonly Readonly<{ name: string; image: string }>[],
): ChallengeFile {
  if (fresh.containers === undefined) return fresh
  const containers = fresh.containers.map((rule) => {
    const { image, ...others } = rule
    const build = known.find(({ name }) => name === rule.name)?.build
    const isBuilt = build && wanted.some((each) => each.name === rule.name && each.image === image)
    return isBuilt ? { ...others, build } : rule
  })
  return { ...fresh, containers }
}

/** Returns a map from each invitation code to its entry in the game file. An entry may refer to an environment variable. */
function fileCodes({ divisions = [] }: GameFile, { divisions: resolved }: Pick<GameState, 'divisions'>): Map<string, Secret> {
  return new Map(
    divisions.flatMap(({ inviteCode }, index) => {
      const value = resolved[index]?.inviteCode ?? null
      return inviteCode === undefined || value === null ? [] : [[value, inviteCode] as const]
    }),
  )
}

/** @param ids ids of all challenges on the platform, by name */
function createPuller(input: PullInput, writer: Writer, ids: ReadonlyMap<string, number>) {
  const { platform, folder } = input
  const names = new Map([...ids].map(([name, id]) => [id, name] as const))
  const nameById = (id: number) => names.get(id)

  const fetchStored = (hash: string, name: string): Promise<DownloadedContent> => platform.download(pathOfStoredFile(hash, name))

  /**
   * Downloads the files to which a text refers, except the files in `known`.
   * @returns the text with local addresses
   */
  const localText = async (text: string, base: string, known: Uploads): Promise<string> => {
    const addresses = new Set<string>()
    replaceMarkdownTargets(text, (address) => void addresses.add(address))
    const locals = new Map<string, string>()
    for (const address of addresses) {
      const target = parseStoredFileAddress(address)
      if (!target) continue
      const { hash, name } = target
      const before = known.get(hash)
      if (before?.address !== undefined && before.name === name) {
        locals.set(address, before.address)
        continue
      }
      const file = await writer.save(at(base, 'images'), name, await fetchStored(hash, name))
      locals.set(address, addressOfLocalFile({ path: `images/${file}`, as: file === name ? undefined : name }))
    }
    return replaceMarkdownTargets(text, (address) => locals.get(address))
  }

  /** Writes a text where the previous text was: in `capstan.yaml` or in a separate file. A new long text gets a separate file. */
  const putText = async (
    text: string,
    home: string,
    before: string | { readonly file: string } | undefined,
    known: Uploads,
  ): Promise<string | { file: string }> => {
    const path = typeof before === 'object' ? resolvePath(home, before.file) : undefined
    if (path !== undefined && typeof before === 'object') {
      writer.write(path, await localText(text, folderOf(path), known))
      return { file: before.file }
    }
    const local = await localText(text, home, known)
    if (before !== undefined || (local.length <= maxInlineLength && !local.includes('\n'))) return local
    return { file: await writer.save(home, 'description.md', Buffer.from(local)) }
  }

  /** Saves attachments in a subfolder, because tools and commands in the folder of the challenge could load hostile files. */
  const putFile =
    (home: string) =>
    async (file: ChallengeFileRef): Promise<FlagFile> => {
      if ('url' in file) return { url: file.url }
      const local = at('files', await writer.save(at(home, 'files'), file.name, await fetchStored(file.hash, file.name)))
      return { file: local, ...(nameOf(local) !== file.name && { as: file.name }) }
    }

  const pullKnown = async (loaded: LoadedChallenge, present: PresentChallenge): Promise<void> => {
    const { challenge, file, folder: home } = loaded
    let wanted: WantedChallenge | undefined
    try {
      wanted = await resolveChallenge(folder.tree, loaded, input.resolveContext, ids, present.challenge)
    } catch (cause) {
      // After the error `Unresolved`, the values from the platform replace all fields of the local file.
      if (!(cause instanceof Unresolved)) throw cause
    }
    const { type } = present.challenge
    if (wanted && wanted.challenge.type !== type)
      throw new Error(
        `${file}: the file has the type ${wanted.challenge.type}, but the challenge of the same name on the platform has the type ${type}. Rename one of them.`,
      )
    const changed = wanted
      ? listChallengeChanges(present, wanted).map(({ field }) => field)
      : [...Object.keys(challengePaths), 'description']
    // Ignore secret values, which files never contain, and attachments that a command generates.
    const isMadeHere = challenge.attachments?.some(isGeneratedAttachment) === true
    const fields = changed.filter((field) => field !== secretValuesField && !(isMadeHere && field === 'attachment'))
    if (fields.length === 0) return
    const description = fields.includes('description')
      ? await putText(normalizeLineEnds(present.challenge.description), home, challenge.description, wanted?.images ?? new Map())
      : challenge.description
    const needsFiles = fields.some((field) => field === 'flags' || field === 'attachment')
    const eachTeam = challenge.flags.find(isFlagRuleForEachTeam)
    // Leave out flags that a rule of the author generates.
    const flags = present.challenge.flags.filter((flag) => !eachTeam || flag.file === null || !isGeneratedBy(eachTeam, flag.flag))
    const put = needsFiles ? putFile(home) : () => ({ url: '' })
    const described = await convertFiles({ ...present.challenge, flags }, put)
    const known = containersOf(challenge)
    const fresh = withBuilds(
      toChallengeFile(described, { name: challenge.name, description, nameOf: nameById, eachTeam, known }),
      known,
      wanted?.challenge.containers ?? [],
    )
    const isList = challenge.containers !== undefined || fresh.containers !== undefined
    const paths = [...new Set(fields)]
      .flatMap((field) => challengePaths[field] ?? [])
      .flatMap((path) => (isList && path[0] === 'container' ? listPaths : [path]))
    const text = folder.tree.readText(file, maxDescriptorBytes)
    const hasNewText = fields.includes('description') && typeof description === 'string'
    writer.write(file, setYamlFields(text, fresh, hasNewText ? [['description'], ...paths] : paths))
  }

  const pullNew = async (name: string, present: PresentChallenge): Promise<void> => {
    const category = present.challenge.category.toLowerCase()
    const home = at(
      category,
      chooseChallengeFolder(name, (each) => writer.isTaken(at(category, each))),
    )
    const description = await putText(normalizeLineEnds(present.challenge.description), home, undefined, new Map())
    const fresh = toChallengeFile(await convertFiles(present.challenge, putFile(home)), {
      name,
      description,
      nameOf: nameById,
    })
    writer.write(at(home, capstanFileName), createYamlText(fresh, createSchemaReferenceLine(input.schema)))
  }

  const pullGame = async (present: PresentGame): Promise<string> => {
    const { game, source } = present
    const state = settingsOfGame(present)
    const before = folder.game
    const home = before?.folder ?? ''
    const download = async (): Promise<string | undefined> =>
      state.poster === null ? undefined : writer.save(home, 'poster.webp', await fetchStored(state.poster, 'poster.webp'))
    if (!before) {
      const name = source.name ?? nameFromTitle(game.title)
      const description = await putText(state.description, home, undefined, new Map())
      const fresh = toGameFile(name, state, { description, poster: await download() })
      writer.write(capstanFileName, createYamlText(fresh, createSchemaReferenceLine(input.schema)))
      return name
    }
    const wanted = resolveGame(folder.tree, home, before.game, input.resolveContext, state)
    const changes = listGameChanges(present, wanted)
    const fields = changes.map(({ field }) => field)
    if (fields.length === 0) return before.game.name
    const description = fields.includes('description')
      ? await putText(state.description, home, before.game.description, wanted.images)
      : before.game.description
    const fresh = toGameFile(before.game.name, state, {
      codes: fileCodes(before.game, wanted.state),
      description: description ?? '',
      poster: fields.includes('poster') ? await download() : undefined,
    })
    const paths = fields.flatMap((field) => gamePaths[field] ?? [])
    const hasNewText = fields.includes('description') && typeof description === 'string'
    const text = folder.tree.readText(before.file, maxDescriptorBytes)
    writer.write(before.file, setYamlFields(text, fresh, hasNewText ? [['description'], ...paths] : paths))
    return before.game.name
  }

  return { pullKnown, pullNew, pullGame }
}

/** Returns unique names for challenges that have no file yet. */
function newNames(folder: GameFolder, present: readonly PresentChallenge[]): Map<PresentChallenge, string> {
  const taken = new Set(folder.challenges.map(({ challenge }) => challenge.name))
  const names = new Map<PresentChallenge, string>()
  for (const each of present) {
    const wanted = each.source?.name ?? nameFromTitle(each.challenge.title)
    const suffix = `-${each.id}`
    const name = taken.has(wanted) ? `${wanted.slice(0, InputLimits.maxWordLength - suffix.length)}${suffix}` : wanted
    taken.add(name)
    names.set(each, name)
  }
  return names
}

/**
 * Throws if two challenges without a recorded file have the same title and category, because later runs could not distinguish their
 * files.
 */
function refuseAlike(present: readonly PresentChallenge[]): void {
  const seen = new Set<string>()
  for (const { source, challenge } of present.filter((each) => !each.source)) {
    const key = JSON.stringify([challenge.title, challenge.category])
    if (seen.has(key) && !source)
      throw new Error(
        `Two challenges have the title "${challenge.title}" and the same category, so later runs could not distinguish their ` +
          'files. Rename one challenge, or pull with a token that may write challenges, so that the platform can record the file of each challenge.',
      )
    seen.add(key)
  }
}

/** Returns the digests to store on the platform for a challenge after its file was pulled. */
function rememberedAfterPull({ challenge, source }: PresentChallenge): Record<string, string> {
  const before = source?.remembered ?? {}
  const fresh = storedDigestsOf(challenge)
  const { [madeFromField]: madeFrom } = before
  return {
    ...fresh,
    ...pickStoredSecretMarks(before),
    ...(madeFrom !== undefined && before.attachment === fresh.attachment && { [madeFromField]: madeFrom }),
  }
}

/** Writes a game on the platform into files. It preserves comments and unchanged values. */
export async function pullGameIntoFolder(input: PullInput): Promise<Pulled> {
  const { platform, folder, gameId, mayStoreSource, progress = () => {} } = input
  const present = await readPlatformGame(platform, gameId)
  const matched = matchChallenges(folder, present.challenges)
  const known = new Map([...matched].map(([loaded, each]) => [each, loaded]))
  const names = newNames(
    folder,
    present.challenges.filter((each) => !known.has(each)),
  )
  if (!mayStoreSource) refuseAlike(present.challenges)
  const writer = createFileWriter(folder.tree)
  const ids = mapChallengeIdsByName(folder, present.challenges, matched)
  for (const [{ id }, name] of names) ids.set(name, id)
  const puller = createPuller(input, writer, ids)
  const note = async (id: number, name: string, each: PresentChallenge) => {
    const params = { id: gameId, cid: id }
    if (mayStoreSource)
      await platform.call(ownOperations.setChallengeSource, { params, body: { name, remembered: rememberedAfterPull(each) } })
  }
  const total = present.challenges.length + 1
  for (const [done, each] of present.challenges.entries()) {
    progress({ done, total, what: each.challenge.title })
    const loaded = known.get(each)
    const name = loaded?.challenge.name ?? names.get(each) ?? nameFromTitle(each.challenge.title)
    if (loaded) await puller.pullKnown(loaded, each)
    else await puller.pullNew(name, each)
    await note(each.id, name, each)
  }
  progress({ done: total - 1, total, what: 'game' })
  const game = selectRightsForChallenges(present, ids)
  const name = await puller.pullGame(game)
  if (mayStoreSource) {
    const state = settingsOfGame(game)
    const { remembered } = present.source
    const posterFile = folder.game?.game.poster
    const isRetained = posterFile !== undefined && Object.hasOwn(remembered, posterFileField)
    await platform.call(ownOperations.setGameSource, {
      params: { id: gameId },
      body: {
        name,
        remembered: {
          ...digestsOfFields(state),
          ...(isRetained &&
            remembered.poster === digestsOfFields(state).poster && { [posterFileField]: remembered[posterFileField] ?? '' }),
        },
      },
    })
  }
  const missing = folder.challenges.filter((loaded) => !matched.has(loaded)).map(({ file }) => file)
  return { written: writer.written, missing }
}
