import { createHash } from 'node:crypto'
import { buffer } from 'node:stream/consumers'
import type { PackageGame } from '@capstan/challenge-files/package/package'
import { challengePermissionsOfNames, permissionsOfNames } from '@capstan/challenge-files/package/permissions'
import { decodeBloodBonus, encodeBloodBonus } from '@capstan/contract/blood'
import type { CertificatePicture } from '@capstan/contract/certificates'
import type { AdminGameWrite } from '@capstan/contract/games'
import { Defaults, Limits } from '@capstan/contract/limits'
import { Problem } from '@capstan/contract/problems'
import { imageKindOfCertificatePicture } from '../../games/certificates/pictures.ts'
import { refuseInvalidCertificateTemplate } from '../../games/certificates/policy.ts'
import { type CertificateValues, insertCertificate } from '../../games/certificates/service.ts'
import { type GivenRights, setDivisionRights } from '../../games/editing/division-service.ts'
import { insertGame } from '../../games/editing/service.ts'
import type { QueueCaller } from '../../server/fair-queue.ts'
import type { ImageKind } from '../../server/files/images.ts'
import type { StoredFile } from '../../server/files/service.ts'
import { openArchiveEntry } from '../archives/entry-stream.ts'
import type { ImportDeps, SentArchive } from '../archives/received-archive.ts'
import { insertChallenges } from '../editing/exchange-service.ts'
import type { ArchivedChallenge } from './archived-challenge.ts'
import { type OpenArchive, withArchive } from './open-archive.ts'
import { packageIdOf } from './read-package.ts'
import { damagedFileOf, type StagedFiles, stageAndWrite, stageChallenges } from './staged-files.ts'

type PictureName = 'poster' | CertificatePicture
type GamePictures = Partial<Record<PictureName, StoredFile>>

function msOf(instant: string | null | undefined): number | null {
  return instant == null ? null : Date.parse(instant)
}

function toGameWrite(game: PackageGame): AdminGameWrite {
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
function divisionRightsOf(game: PackageGame, ids: ReadonlyMap<number | undefined, number | undefined>): GivenRights[] {
  return (game.divisions ?? []).map(({ name, defaultPermissions, challengeConfig }) => ({
    name: name.trim(),
    permissions: permissionsOfNames(defaultPermissions),
    overrides: (challengeConfig ?? []).flatMap(({ challengeId, permissions }) => {
      const id = ids.get(challengeId)
      return id === undefined ? [] : [{ challengeId: id, permissions: challengePermissionsOfNames(permissions) }]
    }),
  }))
}

/** Decodes a picture of the game, converts it to the format of its kind, and stores it. */
async function stagePicture(
  { images }: Pick<ImportDeps, 'images'>,
  archive: OpenArchive,
  staged: StagedFiles,
  { hash, kind, caller }: Readonly<{ hash: string; kind: ImageKind; caller: QueueCaller }>,
): Promise<StoredFile> {
  const found = [...archive.files.values()].find(({ path: whole }) => whole.startsWith(`files/${hash.toLowerCase()}`))
  if (found === undefined || found.sizeBytes > Limits.maxImageBytes) throw new Problem('file.too-large')
  const bytes = await buffer(openArchiveEntry(archive.descriptor, found))
  if (createHash('sha256').update(bytes).digest('hex') !== hash.toLowerCase()) throw damagedFileOf(archive.game?.title ?? '')
  const image = await images.convert(kind, bytes, caller)
  return staged.stage(`picture ${kind} ${hash}`, () => image.bytes, image.name)
}

async function stagePictures(
  deps: Pick<ImportDeps, 'images'>,
  archive: OpenArchive,
  staged: StagedFiles,
  { posterHash, certificate }: PackageGame,
  caller: QueueCaller,
): Promise<GamePictures> {
  const hashes: Record<PictureName, string | null | undefined> = {
    poster: posterHash,
    background: certificate?.backgroundHash,
    logo: certificate?.logoHash,
    signature: certificate?.signatureHash,
  }
  const pictures: GamePictures = {}
  for (const [name, hash] of Object.entries(hashes) as [PictureName, string | null | undefined][]) {
    if (hash == null) continue
    const kind = name === 'poster' ? name : imageKindOfCertificatePicture(name)
    pictures[name] = await stagePicture(deps, archive, staged, { hash, kind, caller })
  }
  return pictures
}

/**
 * Returns the certificate template of an imported game. It contains the hashes of the stored pictures, not those in the package.
 */
function certificateOf(
  given: NonNullable<PackageGame['certificate']>,
  { background, logo, signature }: GamePictures,
): CertificateValues {
  const refusal = refuseInvalidCertificateTemplate(given)
  if (refusal) throw refusal
  return {
    ...given,
    backgroundHash: background?.hash ?? null,
    logoHash: logo?.hash ?? null,
    signatureHash: signature?.hash ?? null,
  }
}

/** @throws Problem `import.package` with the first fault of the game or of a challenge */
function assertImportable({ game, gameProblems, challenges }: OpenArchive): PackageGame {
  const refused = challenges.filter(({ described }: ArchivedChallenge) => described === undefined)
  const [first] = [...gameProblems, ...refused.flatMap(({ findings }) => findings)]
  if (first !== undefined)
    throw new Problem('import.package', { detail: `${first.file}: ${first.field}: ${first.why}`.slice(0, 500) })
  if (game === undefined) throw new Problem('import.package')
  return game
}

/**
 * Creates a game from a package. Its challenges are disabled.
 * @returns the id of the game
 * @throws Problem `import.archive`, `import.package`, or a problem of the game's settings
 */
export function importGame(deps: ImportDeps, sent: SentArchive, caller: QueueCaller): Promise<{ id: number; title: string }> {
  return withArchive(deps, sent, {}, async (archive) => {
    const game = assertImportable(archive)
    const described = archive.challenges.flatMap((archived) => archived.described ?? [])
    return stageAndWrite(
      deps,
      archive,
      async (files) => ({
        challenges: await stageChallenges(files, described),
        pictures: await stagePictures(deps, archive, files, game, caller),
      }),
      async (transaction, { challenges, pictures: { poster, ...pictures } }) => {
        const picture = poster === undefined ? {} : { posterHash: poster.hash }
        const { game: written } = await insertGame(deps, transaction, toGameWrite(game), picture)
        const { rows } = await insertChallenges(deps, transaction, written.id, challenges)
        const ids = new Map(archive.challenges.map(({ file }, index) => [packageIdOf(file), rows[index]?.id]))
        if (game.certificate) await insertCertificate(transaction, written.id, certificateOf(game.certificate, pictures))
        await setDivisionRights(transaction, written.id, divisionRightsOf(game, ids))
        return { id: written.id, title: written.title }
      },
    )
  })
}
