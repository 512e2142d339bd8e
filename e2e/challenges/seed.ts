import { readFileSync } from 'node:fs'
import { parseArgs } from 'node:util'
import type { ChallengeUpdate, FlagInput } from '@capstan/contract/challenges'
import type { FileRef } from '@capstan/contract/files'
import type { AdminGame, AdminGameWrite } from '@capstan/contract/games'
import { operations, ownOperations } from '@capstan/contract/operations'
import { ApiActor, type UploadFile } from '../support/actors.ts'
import { makeAttachment, newFileFlags } from './attachments.ts'
import { type ChallengeManifest, hasContainer, type ImageSource, imageName, listManifests, readDescription } from './manifest.ts'
import { drawPoster } from './poster.ts'
import { demoGame, firstPost, welcomeNotice } from './seed-texts.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export interface SeedOptions extends ImageSource {
  /** Origin of the site. */
  readonly baseUrl: string
  readonly adminName: string
  readonly adminPassword: string
  /** Told what was done, a sentence each. */
  readonly log?: (line: string) => void
  /** Present time in ms; the real one unless told. */
  readonly now?: () => number
}

/** Calls a platform that still has its two-letter name Capstan; one that was named keeps its name. */
export async function nameThePlatform({
  baseUrl,
  adminName,
  adminPassword,
}: Pick<SeedOptions, 'baseUrl' | 'adminName' | 'adminPassword'>): Promise<void> {
  const organizer = new ApiActor(baseUrl)
  await organizer.logIn(adminName, adminPassword)
  const { globalConfig } = await organizer.call(operations.getSettings)
  if (globalConfig?.title?.length !== 2) return
  await organizer.call(operations.updateSettings, { body: { globalConfig: { ...globalConfig, title: 'Capstan' } } })
}

/**
 * Makes the demo game through the public HTTP calls, as an organizer's client would; does nothing if it exists.
 * The game is prepared hidden, before its start and under another title, so that players see it whole or not at all,
 * no notice tells of each challenge, and an attempt that broke off is cleared away by the next.
 * Throws a `Refusal` if the platform refuses a call.
 */
export async function seedDemoGame(options: SeedOptions): Promise<{ gameId: number; created: boolean }> {
  const { log = () => {}, now = Date.now } = options
  const organizer = new ApiActor(options.baseUrl)
  await organizer.logIn(options.adminName, options.adminPassword)

  const games = await listGames(organizer)
  const present = games.find((game) => game.title === demoGame.title)
  if (present) {
    log(`The game '${demoGame.title}' is already there`)
    return { gameId: present.id, created: false }
  }
  for (const leftover of games.filter((game) => game.title === demoGame.draftTitle)) {
    await organizer.call(operations.deleteGame, { params: { id: leftover.id } })
    log('Cleared away an unfinished demo game')
  }

  const game = await organizer.call(operations.createGame, {
    body: gameSettings({ title: demoGame.draftTitle, hidden: true, startMs: now() + dayMs, endMs: now() + 8 * dayMs }),
  })
  const params = { id: game.id }
  await organizer.call(operations.setGamePoster, {
    params,
    files: [{ name: 'poster.png', content: drawPoster(), type: 'image/png' }],
  })
  for (const manifest of listManifests()) {
    await addChallenge(organizer, game.id, manifest, options)
    log(`Added the challenge '${manifest.title}'`)
  }
  await organizer.call(operations.updateGame, {
    params,
    body: gameSettings({ title: demoGame.title, hidden: false, startMs: now() - hourMs, endMs: now() + 7 * dayMs }),
  })
  await organizer.call(operations.addNotice, { params, body: { content: welcomeNotice } })
  await publishPost(organizer, game.id)
  log(`Opened the game '${demoGame.title}'`)
  return { gameId: game.id, created: true }
}

async function listGames(organizer: ApiActor): Promise<AdminGame[]> {
  const games: AdminGame[] = []
  for (;;) {
    const page = await organizer.call(operations.adminListGames, { query: { count: 100, skip: games.length } })
    games.push(...page.data)
    if (page.data.length === 0 || games.length >= page.total) return games
  }
}

/** PUT replaces every field, so both calls send the whole. */
function gameSettings(stage: { title: string; hidden: boolean; startMs: number; endMs: number }): AdminGameWrite {
  const end = new Date(stage.endMs).toISOString()
  return {
    title: stage.title,
    hidden: stage.hidden,
    summary: demoGame.summary,
    content: demoGame.content,
    acceptWithoutReview: true,
    writeupRequired: false,
    writeupDeadline: end,
    organizations: [...demoGame.divisions],
    teamMemberCountLimit: 0,
    containerCountLimit: 3,
    practiceMode: true,
    start: new Date(stage.startMs).toISOString(),
    end,
  }
}

async function addChallenge(
  organizer: ApiActor,
  gameId: number,
  manifest: ChallengeManifest,
  source: ImageSource,
): Promise<void> {
  const { title, category, type } = manifest
  const { id: cid } = await organizer.call(operations.createChallenge, {
    params: { id: gameId },
    body: { title, category, type },
  })
  const params = { id: gameId, cid }
  await organizer.call(operations.updateChallenge, { params, body: challengeSettings(manifest, source) })

  if (hasContainer(manifest) && manifest.protocol !== 'tcp') {
    const body = { speaks: manifest.protocol, isRaw: false, hasOwnCertificate: false }
    await organizer.call(ownOperations.setChallengeReach, { params, body })
  }
  if (manifest.type === 'StaticAttachment' && manifest.attachment) {
    const content = await makeAttachment(manifest, manifest.flags[0])
    const fileHash = await uploadOne(organizer, { name: manifest.attachment.fileName, content })
    await organizer.call(operations.setAttachment, { params, body: { attachmentType: 'Local', fileHash } })
  }
  const flags = await flagsOf(organizer, manifest)
  if (flags.length > 0) await organizer.call(operations.addFlags, { params, body: flags })
  await organizer.call(operations.updateChallenge, { params, body: { isEnabled: true } })
}

function challengeSettings(manifest: ChallengeManifest, source: ImageSource): ChallengeUpdate {
  const { hints, originalScore, minScoreRate, difficulty } = manifest
  return {
    content: readDescription(manifest),
    hints: [...hints],
    originalScore,
    minScoreRate,
    difficulty,
    ...(manifest.type === 'DynamicContainer' ? { flagTemplate: manifest.flagTemplate } : {}),
    ...(manifest.type === 'DynamicAttachment' ? { fileName: manifest.attachment.fileName } : {}),
    ...(hasContainer(manifest)
      ? {
          containerImage: imageName(manifest, source),
          containerExposePort: manifest.port,
          memoryLimit: manifest.memoryMb,
          cpuCount: manifest.cpuTenths,
          storageLimit: manifest.storageMb,
        }
      : {}),
  }
}

/**
 * The flags to add; for dynamic attachments after uploading a file for each.
 * The files are numbered, not named after their flags: names of uploads are listed and logged.
 */
async function flagsOf(organizer: ApiActor, manifest: ChallengeManifest): Promise<FlagInput[]> {
  if (manifest.type === 'DynamicContainer') return []
  if (manifest.type !== 'DynamicAttachment') return manifest.flags.map((flag) => ({ flag }))
  const files = await Promise.all(
    newFileFlags(manifest).map(async (flag, index) => ({
      flag,
      name: `${index + 1}-${manifest.attachment.fileName}`,
      content: await makeAttachment(manifest, flag),
    })),
  )
  const stored = await organizer.call(operations.uploadFiles, { files })
  return files.map(({ flag, name }) => ({ flag, attachmentType: 'Local', fileHash: hashOf(stored, name) }))
}

async function uploadOne(organizer: ApiActor, file: UploadFile): Promise<string> {
  const stored = await organizer.call(operations.uploadFiles, { files: [file] })
  return hashOf(stored, file.name)
}

function hashOf(stored: readonly FileRef[], name: string): string {
  const file = stored.find((candidate) => candidate.name === name)
  if (!file) throw new Error(`The platform did not store '${name}'`)
  return file.hash
}

async function publishPost(organizer: ApiActor, gameId: number): Promise<void> {
  const post = firstPost(gameId)
  const posts = await organizer.call(operations.listPosts)
  if (posts.some(({ title }) => title === post.title)) return
  await organizer.call(operations.createPost, { body: { ...post, tags: [...post.tags] } })
}

if (import.meta.main) {
  const usage =
    'Usage: node e2e/challenges/seed.ts --url URL --password-file FILE [--user Admin] [--image-prefix P] [--image-tag T]'
  const { values } = parseArgs({
    options: {
      url: { type: 'string' },
      user: { type: 'string', default: 'Admin' },
      'password-file': { type: 'string' },
      'image-prefix': { type: 'string' },
      'image-tag': { type: 'string' },
    },
  })
  if (!values.url || !values['password-file']) {
    console.error(usage)
    process.exit(2)
  }
  await seedDemoGame({
    baseUrl: values.url,
    adminName: values.user,
    adminPassword: readFileSync(values['password-file'], 'utf8').trim(),
    imagePrefix: values['image-prefix'],
    imageTag: values['image-tag'],
    log: (line) => console.log(line),
  })
}
