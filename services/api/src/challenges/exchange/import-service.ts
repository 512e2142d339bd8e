import { createHash } from 'node:crypto'
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { convertFiles } from '@capstan/challenge-files/challenge/challenge'
import type { GivenFile } from '@capstan/challenge-files/challenge/read-files'
import { replaceMarkdownTargets } from '@capstan/challenge-files/markdown-targets'
import type { PackageGame } from '@capstan/challenge-files/package/package'
import { challengePermissionsOfNames, permissionsOfNames } from '@capstan/challenge-files/package/permissions'
import { streamUncompressedZip } from '@capstan/challenge-files/stored-zip'
import { pathOfStoredFile } from '@capstan/contract/asset-address'
import { decodeBloodBonus, encodeBloodBonus } from '@capstan/contract/blood'
import type { CertificatePicture } from '@capstan/contract/certificates'
import type { Challenge, ChallengeFileRef } from '@capstan/contract/challenge'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import type { ImportPreview, ImportRepairs, ImportResult } from '@capstan/contract/exchange'
import type { AdminGameWrite } from '@capstan/contract/games'
import { Defaults, Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { Transaction } from '@capstan/db/client'
import { imageKindOfCertificatePicture } from '../../games/certificates/pictures.ts'
import { refuseCertificateTemplate } from '../../games/certificates/policy.ts'
import { type CertificateValues, insertCertificate } from '../../games/certificates/service.ts'
import { type GivenRights, setDivisionRights } from '../../games/editing/division-service.ts'
import { getGame, insertGame, lockGame } from '../../games/editing/service.ts'
import type { QueueCaller } from '../../server/fair-queue.ts'
import type { ImageKind } from '../../server/files/images.ts'
import {
  addFileReferences,
  deleteUnreferencedFiles,
  type StoredFile,
  storeContentWithoutReference,
} from '../../server/files/service.ts'
import { type ArchivedFile, openArchiveEntry } from '../archives/entry-stream.ts'
import { readArchiveInThread } from '../archives/reading-thread.ts'
import type { ImportDeps, ReceivedArchive, SentArchive } from '../archives/received-archive.ts'
import { UnfitArchive } from '../archives/unfit-archive.ts'
import { enableChallenges, insertChallenges, listChallengeTitles, type NamedChallenge } from '../editing/exchange-service.ts'
import { finishChallengeEdits } from '../editing/store.ts'
import { removeUnsupportedSettings } from './fit-container.ts'
import { parsePositions } from './parse-positions.ts'
import type { Plan } from './plan.ts'
import { presentPreview } from './presenter.ts'
import type { ArchivedChallenge, LocatedArchive } from './read-archive.ts'
import { packageIdOf } from './read-package.ts'
import { applyImportRepairs, defaultLimitsOfImportRepairs, digestOfArchiveAndRepairs } from './repairs.ts'

interface OpenArchive extends LocatedArchive, ReceivedArchive {}

const program = new URL('./reading-thread-main.ts', import.meta.url)

export type Choice = Readonly<{
  digest: string | undefined
  take: string | undefined
  repairs: ImportRepairs
}>

type ArchivedPart = Readonly<{
  name: string
  path: string
}>

function damaged(title: string): UnfitArchive {
  return new UnfitArchive(`A file of \`${title}\` does not match its hash.`)
}

function msOf(instant: string | null | undefined): number | null {
  return instant == null ? null : Date.parse(instant)
}

function writeOf(game: PackageGame): AdminGameWrite {
  return {
    title: game.title,
    hidden: true,
    practiceMode: false,
    summary: game.summary ?? '',
    content: game.content ?? '',
    acceptWithoutReview: game.acceptWithoutReview ?? false,
    inviteCode: null,
    organizations: Object.fromEntries(
      (game.divisions ?? []).map(({ name, inviteCode }): [string, string | null] => [name, inviteCode ?? null]),
    ),
    teamMemberCountLimit: game.teamMemberCountLimit ?? 0,
    containerCountLimit: game.containerCountLimit ?? Defaults.instancesPerTeam,
    start: game.startTime,
    end: game.endTime,
    writeupRequired: game.writeup?.required ?? false,
    ...(game.writeup?.deadline == null ? {} : { writeupDeadline: game.writeup.deadline }),
    writeupNote: game.writeup?.note ?? '',
    ...(game.bloodBonus == null
      ? {}
      : {
          bloodBonus: encodeBloodBonus({
            ...decodeBloodBonus(0),
            first: game.bloodBonus.first ?? 0,
            second: game.bloodBonus.second ?? 0,
            third: game.bloodBonus.third ?? 0,
          }),
        }),
    bloodPoints: game.bloodPoints ?? null,
    allowsDebt: game.allowsDebt ?? false,
    freeze: msOf(game.freeze),
    registrationOpens: msOf(game.registrationOpens),
    registrationCloses: msOf(game.registrationCloses),
    teamLimit: game.teamLimit ?? null,
    survey: game.survey ?? 'Off',
    questions: game.questions ?? [],
  }
}

/** Returns the rights of the divisions in a package. @param ids map from the id of a challenge in the package to its new id */
function rightsIn(game: PackageGame, ids: ReadonlyMap<number | undefined, number | undefined>): GivenRights[] {
  return (game.divisions ?? []).map(({ name, defaultPermissions, challengeConfig }) => ({
    name: name.trim(),
    permissions: permissionsOfNames(defaultPermissions),
    overrides: (challengeConfig ?? []).flatMap(({ challengeId, permissions }) => {
      const id = ids.get(challengeId)
      return id === undefined ? [] : [{ challengeId: id, permissions: challengePermissionsOfNames(permissions) }]
    }),
  }))
}

type Stager = ReturnType<typeof createStager>

function withArchive<Result>(
  { archives, config }: Pick<ImportDeps, 'archives' | 'config'>,
  sent: SentArchive,
  repairs: ImportRepairs,
  use: (archive: OpenArchive) => Promise<Result>,
): Promise<Result> {
  return archives.receive(sent, async ({ descriptor, digest }) => {
    const read = await readArchiveInThread<LocatedArchive>({ program, descriptor, given: defaultLimitsOfImportRepairs(repairs) })
    const repaired = applyImportRepairs(read.challenges, repairs)
    const challenges = repaired.map((each) => removeUnsupportedSettings(each, config.instances.choices))
    return use({ ...read, challenges, descriptor, digest: digestOfArchiveAndRepairs(digest, repairs) })
  })
}

/**
 * Returns functions that store files of an archive and record them in the database. Rows can then refer to the files, and unused
 * files are deleted.
 */
function createStager(deps: Pick<ImportDeps, 'blobs' | 'config' | 'db'>, { descriptor, files: located }: OpenArchive) {
  const staged = new Map<string, StoredFile>()
  const locate = (path: string): ArchivedFile => {
    const file = located.get(path)
    if (file === undefined) throw new Error('A planned file is missing in the archive')
    return file
  }
  const pack = (parts: readonly ArchivedPart[]): Readable =>
    Readable.from(
      streamUncompressedZip(
        parts.map(({ name, path }) => ({ ...locate(path), name })),
        (part) => openArchiveEntry(descriptor, part),
      ),
    )
  const stage = async (key: string, content: () => Readable, name: string): Promise<StoredFile> => {
    const known = staged.get(key)
    if (known !== undefined) return known
    const file = await storeContentWithoutReference(deps, content(), name)
    staged.set(key, file)
    return file
  }
  const stageFile = ({ path, name }: ArchivedPart) => stage(path, () => openArchiveEntry(descriptor, locate(path)), name)
  return {
    hashes: () => [...staged.values()].map(({ hash }) => hash),
    keep: (file: StoredFile) => void staged.set(`kept ${file.hash}`, file),
    stageFile,
    /** Stores an attachment. Several files are packed into one archive. */
    async download({ name, parts }: Extract<GivenFile, { parts: unknown }>, title: string): Promise<StoredFile> {
      const archived = parts.filter((part) => 'path' in part)
      const [only] = archived
      if (only === undefined || archived.length > 1) return stage(JSON.stringify(archived), () => pack(archived), name)
      const file = await stageFile(only)
      if (only.hash !== undefined && only.hash !== file.hash) throw damaged(title)
      return file
    },
  }
}

async function stageChallenge(
  stager: Stager,
  { challenge, images }: Plan,
): Promise<{ stored: Challenge; used: readonly StoredFile[] }> {
  const used: StoredFile[] = []
  const addresses = new Map<string, string>()
  for (const image of images) {
    const stored = await stager.stageFile(image)
    used.push(stored)
    addresses.set(image.reference, pathOfStoredFile(stored.hash, image.name))
  }
  const description = replaceMarkdownTargets(challenge.description, (address) => addresses.get(address))
  const stored = await convertFiles(challenge, async (given): Promise<ChallengeFileRef> => {
    if ('url' in given) return given
    const file = await stager.download(given, challenge.title)
    used.push(file)
    return { hash: file.hash, name: given.name }
  })
  return { stored: { ...stored, description }, used }
}

/** Decodes a picture of the game, converts it to the format of its kind, and stores it. */
async function stagePicture(
  deps: Pick<ImportDeps, 'blobs' | 'config' | 'db' | 'images'>,
  archive: OpenArchive,
  stager: Stager,
  { hash, kind, caller }: Readonly<{ hash: string; kind: ImageKind; caller: QueueCaller }>,
): Promise<StoredFile> {
  const { images } = deps
  const found = [...archive.files.values()].find(({ path: whole }) => whole.startsWith(`files/${hash.toLowerCase()}`))
  if (found === undefined || found.sizeBytes > Limits.maxImageBytes) throw new Problem('file.too-large')
  const bytes = await buffer(openArchiveEntry(archive.descriptor, found))
  if (createHash('sha256').update(bytes).digest('hex') !== hash.toLowerCase()) throw damaged(archive.game?.title ?? '')
  const image = await images.convert(kind, bytes, caller)
  const stored = await storeContentWithoutReference(deps, image.bytes, image.name)
  stager.keep(stored)
  return stored
}

/** Game of a package, and the user who imports it. */
type GameUpload = Readonly<{ game: PackageGame; caller: QueueCaller }>

type GamePictures = Partial<Record<'poster' | CertificatePicture, StoredFile>>

async function stagePictures(
  deps: Pick<ImportDeps, 'blobs' | 'config' | 'db' | 'images'>,
  archive: OpenArchive,
  stager: Stager,
  { game, caller }: GameUpload,
): Promise<GamePictures> {
  const { posterHash, certificate } = game
  const stage = async (name: keyof GamePictures, hash: string | null | undefined, kind: ImageKind): Promise<GamePictures> =>
    hash == null ? {} : { [name]: await stagePicture(deps, archive, stager, { hash, kind, caller }) }
  return {
    ...(await stage('poster', posterHash, 'poster')),
    ...(await stage('background', certificate?.backgroundHash, imageKindOfCertificatePicture('background'))),
    ...(await stage('logo', certificate?.logoHash, imageKindOfCertificatePicture('logo'))),
    ...(await stage('signature', certificate?.signatureHash, imageKindOfCertificatePicture('signature'))),
  }
}

/**
 * Returns the certificate template of an imported game. It contains the hashes of the stored pictures, not those in the package.
 */
function certificateOf(
  given: NonNullable<PackageGame['certificate']>,
  { background, logo, signature }: GamePictures,
): CertificateValues {
  const refusal = refuseCertificateTemplate(given)
  if (refusal) throw refusal
  return {
    ...given,
    backgroundHash: background?.hash ?? null,
    logoHash: logo?.hash ?? null,
    signatureHash: signature?.hash ?? null,
  }
}

/** Stores the files of all challenges, then writes all rows in one transaction. A failure leaves no data behind. */
async function storeAndWrite<Result>(
  deps: ImportDeps,
  archive: OpenArchive,
  plans: readonly Plan[],
  write: (transaction: Transaction, challenges: readonly NamedChallenge[], pictures: GamePictures) => Promise<Result>,
  upload?: GameUpload,
): Promise<Result> {
  const { db } = deps
  const stager = createStager(deps, archive)
  try {
    const made: NamedChallenge[] = []
    const used: StoredFile[] = []
    for (const plan of plans) {
      const { stored, used: own } = await stageChallenge(stager, plan)
      made.push({ challenge: stored, name: plan.name, after: plan.after })
      used.push(...own)
    }
    const pictures = upload ? await stagePictures(deps, archive, stager, upload) : {}
    used.push(...Object.values(pictures))
    return await db.transaction(async (transaction) => {
      const result = await write(transaction, made, pictures)
      await addFileReferences(deps, transaction, used)
      return result
    })
  } catch (error) {
    await deleteUnreferencedFiles(deps, stager.hashes())
    throw error
  }
}

function chosen(archive: OpenArchive, take: string | undefined): Plan[] {
  const isTaken = take === undefined ? undefined : parsePositions(take, archive.challenges.length)
  const taken = archive.challenges.filter(({ plan }: ArchivedChallenge, position) =>
    isTaken === undefined ? plan !== undefined : isTaken.has(position),
  )
  const plans = taken.flatMap(({ plan }) => plan ?? [])
  if (plans.length === 0 || plans.length < taken.length) throw new Problem('request.parameter', { detail: 'take' })
  return plans
}

/** Returns the challenges that an import would create. @throws Problem `game.unknown`, `import.archive`, `request.parameter` */
export async function previewChallengeImport(
  deps: Pick<ImportDeps, 'archives' | 'config' | 'db'>,
  gameId: number,
  sent: SentArchive,
  repairs: ImportRepairs,
): Promise<ImportPreview> {
  const { db } = deps
  await getGame(deps, gameId)
  return withArchive(deps, sent, repairs, async (archive) => {
    return presentPreview(archive, archive.digest, await listChallengeTitles(db, gameId))
  })
}

/**
 * Imports challenges. A challenge is enabled only if the caller chose the repair that enables it.
 * @throws Problem `game.unknown`, `import.archive`, `import.changed`, `request.parameter`
 */
export async function importChallenges(
  deps: ImportDeps,
  gameId: number,
  sent: SentArchive,
  { digest, take, repairs }: Choice,
): Promise<{ title: string; made: ImportResult }> {
  const { title } = await getGame(deps, gameId)
  const { made, edits } = await withArchive(deps, sent, repairs, async (archive) => {
    if (digest !== undefined && digest !== archive.digest) throw new Problem('import.changed')
    return storeAndWrite(deps, archive, chosen(archive, take), async (transaction, challenges) => {
      await lockGame(transaction, gameId)
      const made = await insertChallenges(transaction, gameId, challenges)
      const enabled = made.filter((_, index) => challenges[index]?.challenge.enabled).map(({ id }) => id)
      return { made, edits: await enableChallenges(deps, transaction, gameId, enabled) }
    })
  })
  await finishChallengeEdits(deps, gameId, edits)
  return {
    title,
    made: {
      challenges: made.map((each) => ({ id: each.id, title: each.title, category: each.category as ChallengeCategory })),
    },
  }
}

/**
 * Creates a game from a package.
 * @returns the id of the game
 * @throws Problem `import.archive`, `import.package`, or a problem of the game's settings
 */
export function importGame(deps: ImportDeps, sent: SentArchive, caller: QueueCaller): Promise<{ id: number; title: string }> {
  return withArchive(deps, sent, {}, async (archive) => {
    const { game, gameProblems, challenges } = archive
    const [first] = [...gameProblems, ...challenges.filter(({ plan }) => plan === undefined).flatMap((each) => each.findings)]
    if (first !== undefined)
      throw new Problem('import.package', { detail: `${first.file}: ${first.field}: ${first.why}`.slice(0, 500) })
    if (game === undefined) throw new Problem('import.package')
    return storeAndWrite(
      deps,
      archive,
      challenges.flatMap(({ plan }) => plan ?? []),
      async (transaction, made, { poster, ...pictures }) => {
        const picture = poster === undefined ? {} : { posterHash: poster.hash }
        const { game: written } = await insertGame(deps, transaction, writeOf(game), picture)
        const rows = await insertChallenges(transaction, written.id, made)
        const ids = new Map(challenges.map(({ file }, index) => [packageIdOf(file), rows[index]?.id]))
        if (game.certificate) await insertCertificate(transaction, written.id, certificateOf(game.certificate, pictures))
        await setDivisionRights(transaction, written.id, rightsIn(game, ids))
        return { id: written.id, title: written.title }
      },
      { game, caller },
    )
  })
}
