import { createHash } from 'node:crypto'
import type { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { withTargets } from '@capstan/challenge-files/markdown-targets'
import type { PackageGame } from '@capstan/challenge-files/package/package'
import { freeName } from '@capstan/challenge-files/safe-names'
import { fileAddress } from '@capstan/contract/asset-address'
import { decodeBloodBonus, encodeBloodBonus } from '@capstan/contract/blood'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import type { ImportPreview, ImportResult } from '@capstan/contract/exchange'
import { tidyFileName } from '@capstan/contract/file-name'
import type { AdminGameWrite } from '@capstan/contract/games'
import { Defaults, Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import type { Transaction } from '@capstan/db/client'
import { openEntry } from '../archives/entry-stream.ts'
import { readInThread } from '../archives/reading-thread.ts'
import type { ArchiveReceiver, ReceivedArchive, SentArchive } from '../archives/received-archive.ts'
import { UnfitArchive } from '../archives/unfit-archive.ts'
import { writeZip } from '../archives/zip-writer.ts'
import { challengeExchange, type GivenAttachment, type WholeChallenge } from '../challenges/exchange-service.ts'
import { createFileService, type StoredFile } from '../files/service.ts'
import { createGameService, type GameServiceDeps } from '../games/service.ts'
import { positionsOf } from './choice.ts'
import { fitChallenge } from './fit-container.ts'
import type { PlannedAttachment, PlannedChallenge, PlannedFile } from './plan.ts'
import { presentPreview } from './presenter.ts'
import type { LocatedArchive, ReadChallenge } from './read-archive.ts'

/** An archive on the disk of this process, with what was read of it. */
interface OpenArchive extends LocatedArchive, ReceivedArchive {}

const program = new URL('./reading.ts', import.meta.url)

/** What an import takes of an archive. */
export interface Choice {
  /** Of the archive that was shown. */
  readonly digest: string | undefined
  /** Positions as `0-4,7`. */
  readonly take: string | undefined
}

const damaged = (title: string): UnfitArchive => new UnfitArchive(`A file of \`${title}\` is not what its hash says.`)

const writeOf = (game: PackageGame): AdminGameWrite => ({
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
})

/**
 * Brings challenges and games out of archives. Showing what is in one changes nothing; importing reads it again and makes all that
 * was chosen or nothing. Rules: docs/contract/challenges.md#import-and-export.
 */
export const createImportService = (deps: GameServiceDeps & { readonly archives: ArchiveReceiver }) => {
  const { archives, config, db, images, scoreboards } = deps
  const files = createFileService(deps)
  const games = createGameService(deps)

  /** Takes an archive in and reads it. */
  const withArchive = <Result>(sent: SentArchive, use: (archive: OpenArchive) => Promise<Result>): Promise<Result> =>
    archives.receive(sent, async ({ descriptor, digest }) => {
      const read = await readInThread<LocatedArchive>({ program, descriptor })
      const challenges = read.challenges.map((each) => fitChallenge(each, config.instances.choices))
      return use({ ...read, challenges, descriptor, digest })
    })

  /** Stores content of an archive, and remembers it so that it can be counted, or swept. */
  const createStager = ({ descriptor, files: located }: OpenArchive) => {
    const staged = new Map<string, StoredFile>()
    const openFile = ({ path: whole }: PlannedFile): Readable => {
      const file = located.get(whole)
      if (file === undefined) throw new Error('A planned file was not located')
      return openEntry(descriptor, file)
    }
    const pack = (parts: readonly PlannedFile[]): Readable => {
      const taken = new Set<string>()
      return writeZip(parts.map((part) => ({ path: freeName(part.name, taken), open: async () => openFile(part) })))
    }
    const stage = async (key: string, content: () => Readable, name: string): Promise<StoredFile> => {
      const known = staged.get(key)
      if (known !== undefined) return known
      const file = await files.stage(content(), name)
      staged.set(key, file)
      return file
    }
    const stageFile = (file: PlannedFile) => stage(file.path, () => openFile(file), file.name)
    return {
      hashes: () => [...staged.values()].map(({ hash }) => hash),
      keep: (file: StoredFile) => void staged.set(`kept ${file.hash}`, file),
      stageFile,
      async attachment(given: PlannedAttachment, title: string): Promise<{ given: GivenAttachment; file?: StoredFile }> {
        if (given.kind === 'url') return { given: { type: 'Remote', remoteUrl: given.url } }
        const key = given.kind === 'file' ? undefined : JSON.stringify(given.files)
        const name = given.kind === 'file' ? given.file.name : given.name
        const file = given.kind === 'file' ? await stageFile(given.file) : await stage(String(key), () => pack(given.files), name)
        if (given.kind === 'file' && given.file.hash !== undefined && given.file.hash !== file.hash) throw damaged(title)
        return { given: { type: 'Local', fileHash: file.hash, fileName: name }, file }
      },
    }
  }

  type Stager = ReturnType<typeof createStager>

  /** Stores the files of a challenge. @returns the challenge, and each file as often as it is used */
  const stageChallenge = async (
    stager: Stager,
    plan: PlannedChallenge,
  ): Promise<{ whole: WholeChallenge; used: StoredFile[] }> => {
    const used: StoredFile[] = []
    const attach = async (planned: PlannedAttachment): Promise<GivenAttachment> => {
      const { given, file } = await stager.attachment(planned, plan.title)
      if (file) used.push(file)
      return given
    }
    const addresses = new Map<string, string>()
    for (const { reference, file } of plan.images) {
      const stored = await stager.stageFile(file)
      used.push(stored)
      addresses.set(reference, fileAddress(stored.hash, tidyFileName(file.name)))
    }
    const content = withTargets(plan.content, (address) => addresses.get(address))
    const attachment = plan.attachment && (await attach(plan.attachment))
    const flags: WholeChallenge['flags'][number][] = []
    for (const { text, kind, attachment: own } of plan.flags)
      flags.push({
        flag: text,
        ...(kind === undefined ? {} : { kind }),
        ...(own === undefined ? {} : { attachment: await attach(own) }),
      })
    const { container } = plan
    return {
      used,
      whole: {
        values: {
          title: plan.title.trim(),
          content,
          category: plan.category,
          type: plan.type,
          hints: [...plan.hints],
          flagTemplate: plan.flagTemplate,
          originalScore: plan.originalScore,
          minScoreRate: plan.minScoreRate,
          difficulty: plan.difficulty,
          tags: [...plan.tags],
          level: plan.level,
          ...(plan.fileName === undefined ? {} : { fileName: plan.fileName }),
          ...(plan.captureTraffic === undefined ? {} : { captureTraffic: plan.captureTraffic }),
          ...(container === undefined
            ? {}
            : {
                containerImage: container.image,
                exposedPort: container.port,
                speaks: container.reach.speaks,
                isRawHttp: container.reach.isRaw,
                hasOwnCertificate: container.reach.hasOwnCertificate,
                isGuarded: container.reach.isGuarded ?? false,
                container: container.definition,
                memoryMb: container.memoryMb,
                cpuTenths: container.cpuTenths,
                storageMb: container.storageMb,
              }),
        },
        ...(attachment === undefined ? {} : { attachment }),
        flags,
      },
    }
  }

  /** Pictures are decoded and stored in one form, whoever brings them. */
  const stagePoster = async (archive: OpenArchive, stager: Stager, hash: string): Promise<StoredFile> => {
    const found = [...archive.files.values()].find(({ path: whole }) => whole.startsWith(`files/${hash.toLowerCase()}`))
    if (found === undefined || found.sizeBytes > Limits.imageMaxBytes) throw new Problem('file.too-large')
    const bytes = await buffer(openEntry(archive.descriptor, found))
    if (createHash('sha256').update(bytes).digest('hex') !== hash.toLowerCase()) throw damaged(archive.game?.title ?? '')
    const image = await images.convert('poster', bytes)
    const stored = await files.stage(image.bytes, image.name)
    stager.keep(stored)
    return stored
  }

  /** Stores the files of all challenges, then writes everything in one transaction; whatever fails leaves nothing. */
  const make = async <Result>(
    archive: OpenArchive,
    plans: readonly PlannedChallenge[],
    write: (transaction: Transaction, challenges: readonly WholeChallenge[], poster: StoredFile | undefined) => Promise<Result>,
    posterHash?: string | null,
  ): Promise<Result> => {
    const stager = createStager(archive)
    try {
      const made: WholeChallenge[] = []
      const used: StoredFile[] = []
      for (const plan of plans) {
        const { whole, used: own } = await stageChallenge(stager, plan)
        made.push(whole)
        used.push(...own)
      }
      const poster = posterHash == null ? undefined : await stagePoster(archive, stager, posterHash)
      if (poster) used.push(poster)
      return await db.transaction(async (transaction) => {
        const result = await write(transaction, made, poster)
        await files.adopt(transaction, used)
        return result
      })
    } catch (error) {
      await files.sweep(stager.hashes())
      throw error
    }
  }

  const chosen = (archive: OpenArchive, take: string | undefined): PlannedChallenge[] => {
    const isTaken = take === undefined ? undefined : positionsOf(take, archive.challenges.length)
    const taken = archive.challenges.filter(({ plan }: ReadChallenge, position) =>
      isTaken === undefined ? plan !== undefined : isTaken.has(position),
    )
    const plans = taken.flatMap(({ plan }) => plan ?? [])
    if (plans.length === 0 || plans.length < taken.length) throw new Problem('request.parameter', { detail: 'take' })
    return plans
  }

  return {
    /** What an archive would make. @throws Problem `game.unknown`, `import.archive` */
    async preview(gameId: number, sent: SentArchive): Promise<ImportPreview> {
      await games.get(gameId)
      return withArchive(sent, async (archive) => {
        return presentPreview(archive, archive.digest, await challengeExchange.titles(db, gameId))
      })
    },

    /** Makes challenges, disabled. @throws Problem `game.unknown`, `import.archive`, `import.changed`, `request.parameter` */
    async importChallenges(
      gameId: number,
      sent: SentArchive,
      { digest, take }: Choice,
    ): Promise<{ title: string; made: ImportResult }> {
      const { title } = await games.get(gameId)
      const made = await withArchive(sent, async (archive) => {
        if (digest !== undefined && digest !== archive.digest) throw new Problem('import.changed')
        return make(archive, chosen(archive, take), async (transaction, challenges) => {
          await games.lock(transaction, gameId)
          return challengeExchange.insert(transaction, gameId, challenges)
        })
      })
      scoreboards.markStale(gameId)
      return {
        title,
        made: {
          challenges: made.map((each) => ({ id: each.id, title: each.title, category: each.category as ChallengeCategory })),
        },
      }
    },

    /** Makes a game of its package. @returns its id. @throws Problem `import.archive`, `import.package`, and those of a game's settings */
    importGame: (sent: SentArchive): Promise<{ id: number; title: string }> =>
      withArchive(sent, async (archive) => {
        const { game, gameProblems, challenges } = archive
        const [first] = [...gameProblems, ...challenges.filter(({ plan }) => plan === undefined).flatMap((each) => each.findings)]
        if (first !== undefined)
          throw new Problem('import.package', { detail: `${first.file}: ${first.field}: ${first.why}`.slice(0, 500) })
        if (game === undefined) throw new Problem('import.package')
        return make(
          archive,
          challenges.flatMap(({ plan }) => plan ?? []),
          async (transaction, made, poster) => {
            const picture = poster === undefined ? {} : { posterHash: poster.hash }
            const { game: written } = await games.insert(transaction, writeOf(game), picture)
            await challengeExchange.insert(transaction, written.id, made)
            return { id: written.id, title: written.title }
          },
          game.posterHash,
        )
      }),
  }
}
