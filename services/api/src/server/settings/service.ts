// Settings that admins edit. They are read from the database each time, so all replicas apply a change at once. Rules:
// docs/contract/admin.md#settings.

import { Problem } from '@capstan/contract/problems'
import type { ClientConfig, PlatformSettings, ProjectLinks } from '@capstan/contract/settings'
import type { SignInPolicy } from '@capstan/contract/sign-in'
import type { Executor } from '@capstan/db/client'
import type { ServerDeps } from '../deps.ts'
import type { QueueCaller } from '../fair-queue.ts'
import { deleteFile, deleteUnreferencedFiles, releaseFiles, storeFile } from '../files/service.ts'
import { defaultSettings, mergeGlobalSettings, mergeSettingsSection, type Settings } from './defaults.ts'
import { presentClientConfig } from './presenter.ts'
import { createSettingsRepository } from './repository.ts'

export type IndexPageSettings = Readonly<{
  title: string
  description: string
  config: ClientConfig
  /** URL of the source repository. Absent if no admin has set one. */
  repository?: string
  /** Origin of the platform, for absolute URLs. Absent if the deployment sets no origin. */
  origin?: string
}>

async function readFrom(db: Executor): Promise<Settings> {
  const stored = await createSettingsRepository(db).read()
  return {
    accountPolicy: { ...defaultSettings.accountPolicy, ...stored.accountPolicy },
    globalConfig: { ...defaultSettings.globalConfig, ...stored.globalConfig },
    containerPolicy: { ...defaultSettings.containerPolicy, ...stored.containerPolicy },
  }
}

async function replaceLogo(
  executor: Executor,
  hashes: { logoHash: string | null; faviconHash: string | null },
): Promise<(string | null)[]> {
  await createSettingsRepository(executor).lock()
  const { globalConfig } = await readFrom(executor)
  await createSettingsRepository(executor).write('globalConfig', { ...globalConfig, ...hashes })
  const released = [globalConfig.logoHash, globalConfig.faviconHash]
  await releaseFiles(executor, released)
  return released
}

export function readSettings({ db }: Pick<ServerDeps, 'db'>, executor: Executor = db): Promise<Settings> {
  return readFrom(executor)
}

/** Reads the link to the platform's source that an admin has set. */
export async function readSourceLink({ db }: Pick<ServerDeps, 'db'>): Promise<ProjectLinks> {
  const { project } = await createSettingsRepository(db).read()
  return { repositoryUrl: typeof project?.repositoryUrl === 'string' ? project.repositoryUrl : null }
}

export async function readIndexPage(deps: Pick<ServerDeps, 'config' | 'db'>): Promise<IndexPageSettings> {
  const { db, config } = deps
  const [settings, { repositoryUrl }] = await Promise.all([readFrom(db), readSourceLink(deps)])
  const { title, description } = settings.globalConfig
  return {
    title,
    description: description ?? '',
    config: presentClientConfig(settings),
    ...(repositoryUrl !== null && { repository: repositoryUrl }),
    ...(config.publicOrigin !== undefined && { origin: config.publicOrigin }),
  }
}

/**
 * Sets the link to the platform's source code.
 * @throws Problem `request.invalid` if the URL is invalid, or contains credentials, because every visitor can read the URL
 */
export async function setSourceLink({ db }: Pick<ServerDeps, 'db'>, { repositoryUrl }: ProjectLinks): Promise<void> {
  const address = repositoryUrl === null ? undefined : URL.parse(repositoryUrl)
  if (address === null || address?.username || address?.password)
    throw new Problem('request.invalid', { detail: '/repositoryUrl' })
  await createSettingsRepository(db).write('project', { repositoryUrl })
}

/** Returns the rules for logins. By default passwords are allowed, and a second factor is optional. */
export async function readSignInPolicy({ db }: Readonly<{ db: Executor }>): Promise<Required<SignInPolicy>> {
  const { signIn } = await createSettingsRepository(db).read()
  return { passwords: true, secondFactor: 'Optional', ...(signIn as Partial<SignInPolicy>) }
}

/** Changes the rules for logins. Rules that are absent stay unchanged. */
export async function writeSignInPolicy({ db }: Readonly<{ db: Executor }>, change: SignInPolicy): Promise<void> {
  await createSettingsRepository(db).lock()
  await createSettingsRepository(db).write('signIn', { ...(await readSignInPolicy({ db })), ...change })
}

export function updateSettings({ db }: Pick<ServerDeps, 'db'>, change: PlatformSettings): Promise<void> {
  return db.transaction(async (transaction) => {
    const repository = createSettingsRepository(transaction)
    await repository.lock()
    const before = await readFrom(transaction)
    if (change.accountPolicy)
      await repository.write('accountPolicy', mergeSettingsSection(before.accountPolicy, change.accountPolicy))
    if (change.globalConfig) await repository.write('globalConfig', mergeGlobalSettings(before.globalConfig, change.globalConfig))
    if (change.containerPolicy)
      await repository.write('containerPolicy', mergeSettingsSection(before.containerPolicy, change.containerPolicy))
  })
}

/** Stores a picture as logo and as favicon. @throws Problem the same as `ImageConverter.convert` */
export async function setLogo(
  deps: Pick<ServerDeps, 'db' | 'blobs' | 'images' | 'clock' | 'config'>,
  bytes: Buffer,
  caller: QueueCaller,
): Promise<void> {
  const { images } = deps
  const [logo, favicon] = [await images.convert('logo', bytes, caller), await images.convert('favicon', bytes, caller)]
  const storedLogo = await storeFile(deps, logo.bytes, logo.name)
  let released: (string | null)[] = []
  try {
    await storeFile(deps, favicon.bytes, favicon.name, {
      adopt: async (transaction, storedFavicon) => {
        released = await replaceLogo(transaction, { logoHash: storedLogo.hash, faviconHash: storedFavicon.hash })
      },
    })
  } catch (error) {
    await deleteFile(deps, storedLogo.hash)
    throw error
  }
  await deleteUnreferencedFiles(deps, released)
}

export async function resetLogo(deps: Pick<ServerDeps, 'blobs' | 'db'>): Promise<void> {
  const { db } = deps
  const released = await db.transaction((transaction) => replaceLogo(transaction, { logoHash: null, faviconHash: null }))
  await deleteUnreferencedFiles(deps, released)
}
