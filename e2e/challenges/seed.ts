import { randomUUID } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { mkdtemp, rm, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import path from 'node:path'
import { Readable } from 'node:stream'
import { parseArgs } from 'node:util'
import { applyPlan } from '@capstan/cli/apply/apply'
import { capstanFileName, mapContainers } from '@capstan/cli/game-folder'
import { makePlan } from '@capstan/cli/plan/plan'
import { findGameForName } from '@capstan/cli/plan/read-platform'
import type { Platform } from '@capstan/cli/platform'
import type { ResolveContext } from '@capstan/cli/resolve/resolve-context'
import type { AdminGame } from '@capstan/contract/games'
import { operations } from '@capstan/contract/operations'
import { ApiActor } from '../support/actors.ts'
import { makeAttachment } from './attachments.ts'
import { demoImageName, getDemoGame, type ImageSource, loadDemoGame } from './manifest.ts'
import { drawPoster } from './poster.ts'
import { createFirstPost, demoGame, welcomeNotice } from './seed-texts.ts'

const hourMs = 3_600_000
const dayMs = 24 * hourMs

export type SeedOptions = ImageSource &
  Readonly<{
    baseUrl: string
    adminName: string
    adminPassword: string
    /** Called with a sentence after each completed step. */
    log?: (line: string) => void
    /** Returns the current time in ms. By default, it is the real time. */
    now?: () => number
  }>

/** Sets the name of the platform to Capstan if the name is still the default. */
export async function setPlatformName({
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
 * Creates the demo game from its files, like `capstan apply`. Does nothing if the game exists. Until the game is complete, it is
 * hidden and has another title. Players therefore never see an incomplete game, and the next attempt can complete it.
 * @throws Refusal if the platform refuses a call
 */
export async function seedDemoGame(options: SeedOptions): Promise<{ gameId: number; created: boolean }> {
  const { log = () => {}, now = Date.now } = options
  const organizer = new ApiActor(options.baseUrl)
  await organizer.logIn(options.adminName, options.adminPassword)
  const platform: Platform = {
    call: (operation, ...args) => organizer.call(operation, ...(args as [never])),
    download: async (address) => Readable.from([await (await organizer.get(address)).bytes()]),
  }
  const { file, folder } = demoFolder(options)

  const sourced = await findGameForName(platform, file.name)
  const present = (await listGames(organizer)).find(({ id, title }) =>
    id === sourced ? title !== demoGame.draftTitle : title === demoGame.title,
  )
  if (present) {
    log(`The game '${present.title}' is already there`)
    return { gameId: present.id, created: false }
  }

  const scratch = await mkdtemp(path.join(tmpdir(), 'capstan-seed-'))
  const resolveContext = contextIn(scratch)
  const apply = async (game: typeof file, gameId: number | undefined, [startMs, endMs]: readonly [number, number]) => {
    const [starts, ends] = [new Date(startMs).toISOString(), new Date(endMs).toISOString()]
    const staged = { ...folder, game: { file: capstanFileName, folder: '', game: { ...game, starts, ends } } }
    const newTimes = { starts, ends, writeupsDeadline: ends }
    const plan = await makePlan({ platform, folder: staged, resolveContext, gameId, newTimes })
    const [refused] = plan.challenges.filter(({ action }) => action === 'refuse')
    if (refused) throw new Error(`${refused.loaded.file}: ${refused.refusal}`)
    const progress = ({ what }: { readonly what: string }) => log(`Applying '${what}'`)
    const applied = await applyPlan({ platform, folder: staged, plan, prune: false, progress })
    const [failure] = applied.failures
    if (failure) throw new Error(`${failure.file}: ${failure.why}`)
    return applied.gameId
  }
  const draft = { ...file, title: demoGame.draftTitle, hidden: true }
  try {
    const gameId = await apply(draft, sourced, [now() + dayMs, now() + 8 * dayMs])
    const params = { id: gameId }
    await organizer.call(operations.setGamePoster, {
      params,
      files: [{ name: 'poster.png', content: drawPoster(), type: 'image/png' }],
    })
    await apply(file, gameId, [now() - hourMs, now() + 7 * dayMs])
    await organizer.call(operations.addNotice, { params, body: { content: welcomeNotice } })
    await publishPost(organizer, gameId)
    log(`Opened the game '${demoGame.title}'`)
    return { gameId, created: true }
  } finally {
    await rm(scratch, { recursive: true, force: true })
  }
}

/**
 * Returns a context in which the modules of the demo game create files in this process.
 * @param folder temporary folder for the files
 */
function contextIn(folder: string): ResolveContext {
  return {
    environment: {},
    workspace: {
      folder,
      make: async ({ cwd, flag = '' }) => {
        const file = path.join(folder, randomUUID())
        await writeFile(file, await makeAttachment({ slug: path.basename(cwd) }, flag))
        return file
      },
    },
    imageOf: () => undefined,
  }
}

/** Loads the files of the demo game. By default, challenges use the images in their manifests. */
function demoFolder(source: ImageSource) {
  const loaded = loadDemoGame()
  const challenges = loaded.challenges.map((each) => {
    const { name: slug } = each.challenge
    const challenge = mapContainers(each.challenge, (container) =>
      container.image === undefined
        ? container
        : { ...container, image: demoImageName({ slug, image: container.image }, source) },
    )
    return { ...each, challenge }
  })
  return { file: getDemoGame(), folder: { ...loaded, challenges } }
}

async function listGames(organizer: ApiActor): Promise<AdminGame[]> {
  const games: AdminGame[] = []
  for (;;) {
    const page = await organizer.call(operations.adminListGames, { query: { count: 100, skip: games.length } })
    games.push(...page.data)
    if (page.data.length === 0 || games.length >= page.total) return games
  }
}

async function publishPost(organizer: ApiActor, gameId: number): Promise<void> {
  const post = createFirstPost(gameId)
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
