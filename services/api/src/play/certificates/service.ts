// Certificates of a finished game. Rules: docs/contract/games-and-joining.md#certificates.
import { Readable } from 'node:stream'
import { buffer } from 'node:stream/consumers'
import { chooseFreeName, safeFileName, type TakenNames } from '@capstan/challenge-files/safe-names'
import type { CertificatePicture } from '@capstan/contract/certificates'
import { refuseOutsidePhase } from '@capstan/contract/phases'
import { Problem } from '@capstan/contract/problems'
import type { ScoreboardTeam } from '@capstan/contract/scoreboard'
import { writeZip } from '../../challenges/archives/zip-writer.ts'
import { type CertificateRow, findCertificate } from '../../games/certificates/service.ts'
import { type GameRow, getGame, timesOfGame } from '../../games/editing/service.ts'
import type { InstanceDeps } from '../../instances/deps.ts'
import { type QueueCaller, queueCallerOf } from '../../server/fair-queue.ts'
import { openFile } from '../../server/files/service.ts'
import type { Download } from '../../server/http/send-download.ts'
import { findFreezeInstant } from '../../server/players/frozen-since.ts'
import type { PlayerService } from '../../server/players/service.ts'
import { eachStanding } from '../scoreboard/board-rows.ts'
import type { Board, ScoreboardService } from '../scoreboard/service.ts'
import type { CertificatePage } from './drawing/page.ts'
import type { CertificateThread } from './drawing/thread.ts'
import { createCertificateFactsRepository } from './repository.ts'
import { type CertificateFacts, fillPlaceholders, formatPlaceholderValues } from './text.ts'

type CertificateDeps = Pick<InstanceDeps, 'blobs' | 'clock' | 'db'> &
  Readonly<{ certificates: CertificateThread; scoreboards: ScoreboardService }>

/** Values of a team that a certificate shows. */
type Standing = Pick<ScoreboardTeam, 'id' | 'name' | 'rank' | 'score' | 'organization'>

type Pictures = Pick<CertificatePage, CertificatePicture>

async function readPictures(
  deps: Pick<InstanceDeps, 'blobs'>,
  { backgroundHash, logoHash, signatureHash }: Pick<CertificateRow, 'backgroundHash' | 'logoHash' | 'signatureHash'>,
): Promise<Pictures> {
  const read = async (hash: string | null) => (hash === null ? undefined : buffer(await openFile(deps, hash)))
  return { background: await read(backgroundHash), logo: await read(logoHash), signature: await read(signatureHash) }
}

function pageOf(template: CertificateRow, pictures: Pictures, facts: CertificateFacts): CertificatePage {
  const { paper, orientation, language } = template
  const values = formatPlaceholderValues(facts, language)
  return {
    title: fillPlaceholders(template.title, values),
    text: fillPlaceholders(facts.rank === undefined ? template.participationText : template.text, values),
    signer: fillPlaceholders(template.signer, values),
    ...{ paper, orientation, language, date: facts.date, ...pictures },
  }
}

function factsOf(game: GameRow, team: Standing, users: readonly string[]): CertificateFacts {
  return {
    team: team.name,
    users,
    rank: team.rank > 0 ? team.rank : undefined,
    points: team.score,
    game: game.title,
    date: game.endsAt,
    division: team.organization,
  }
}

/** @throws Problem `certificate.off` if the game has no template */
async function getTemplate({ db }: Pick<InstanceDeps, 'db'>, gameId: number): Promise<CertificateRow> {
  const template = await findCertificate(db, gameId)
  // The title is empty if an organizer has stored pictures but no template.
  if (!template || template.title === '') throw new Problem('certificate.off')
  return template
}

/**
 * Returns a finished game and its certificate template.
 * @throws Problem `game.unknown`, `game.not-started`, `game.not-over`, `certificate.off`
 */
async function getFinished(deps: Pick<InstanceDeps, 'clock' | 'db'>, gameId: number) {
  const game = await getGame(deps, gameId)
  const refusal = refuseOutsidePhase('certificate', timesOfGame(game), deps.clock.now())
  if (refusal) throw new Problem(refusal)
  return { game, template: await getTemplate(deps, gameId) }
}

function fileNameOf(game: GameRow, name: string): string {
  return `${game.title}-${name}.pdf`
}

/**
 * Draws the certificate of the caller or, if `isForTeam`, of the caller's team. It shows the standing on the public scoreboard.
 * @throws Problem `game.unknown`, `participation.*`, `certificate.off`, `certificate.frozen`, `game.not-started`, `game.not-over`
 */
export async function drawOwnCertificate(
  deps: CertificateDeps & Readonly<{ players: PlayerService }>,
  gameId: number,
  user: Readonly<{ id: string; userName: string; address: string }>,
  isForTeam: boolean,
): Promise<Download> {
  const { team } = await deps.players.get('certificate', gameId, user.id)
  const { game, template } = await getFinished(deps, gameId)
  if (!template.isEnabled) throw new Problem('certificate.off')
  if (findFreezeInstant(game, deps.clock.now())) throw new Problem('certificate.frozen')
  const standing = (await deps.scoreboards.read(gameId, 'live'))?.standingOf(team.id)
  if (!standing) throw new Problem('participation.not-accepted')
  const members = isForTeam
    ? ((await createCertificateFactsRepository(deps.db).listMembers(gameId, team.id)).get(team.id) ?? [])
    : [user.userName]
  const page = pageOf(template, await readPictures(deps, template), factsOf(game, standing, members))
  const content = await deps.certificates.draw(page, queueCallerOf(user.address, user.id))
  return { fileName: fileNameOf(game, isForTeam ? standing.name : user.userName), content }
}

/** Returns the board of a game. The board includes every committed change. @throws Problem `game.unknown` */
async function buildBoard({ scoreboards }: Pick<CertificateDeps, 'scoreboards'>, gameId: number): Promise<Board> {
  const built = await scoreboards.readCurrent(gameId)
  if (!built) throw new Problem('game.unknown')
  return built.live
}

/** Lists the teams of a board in order of rank, without their solves. */
async function listStandings(board: Board): Promise<Standing[]> {
  const standings: Standing[] = []
  for await (const { id, name, rank, score, organization } of eachStanding(board))
    standings.push({ id, name, rank, score, organization })
  return standings
}

/** @throws Problem `game.unknown`, `certificate.off`, `game.not-started`, `game.not-over`, `participation.unknown` */
export async function drawTeamCertificate(
  deps: CertificateDeps,
  gameId: number,
  teamId: number,
  caller: QueueCaller,
): Promise<Download> {
  const { game, template } = await getFinished(deps, gameId)
  const standing = (await buildBoard(deps, gameId)).standingOf(teamId)
  if (!standing) throw new Problem('participation.unknown')
  const members = await createCertificateFactsRepository(deps.db).listMembers(gameId, teamId)
  const page = pageOf(template, await readPictures(deps, template), factsOf(game, standing, members.get(teamId) ?? []))
  return { fileName: fileNameOf(game, standing.name), content: await deps.certificates.draw(page, caller) }
}

/**
 * Returns a zip with the certificates of all teams. The certificates are drawn one at a time while the zip is sent.
 * @throws Problem `game.unknown`, `certificate.off`, `game.not-started`, `game.not-over`, `scoreboard.empty`
 */
export async function drawAllCertificates(deps: CertificateDeps, gameId: number, caller: QueueCaller): Promise<Download> {
  const { game, template } = await getFinished(deps, gameId)
  const standings = await listStandings(await buildBoard(deps, gameId))
  if (standings.length === 0) throw new Problem('scoreboard.empty')
  const members = await createCertificateFactsRepository(deps.db).listMembers(gameId)
  const pictures = await readPictures(deps, template)
  const taken: TakenNames = new Map()
  const digits = String(standings.length).length
  const files = standings.map((standing, index) => ({
    path: chooseFreeName(safeFileName(`${String(index + 1).padStart(digits, '0')}-${standing.name}.pdf`), taken),
    open: async () => {
      const page = pageOf(template, pictures, factsOf(game, standing, members.get(standing.id) ?? []))
      // After the first certificate, the response has begun, so that a refusal could no longer be sent.
      return Readable.from([await deps.certificates.draw(page, caller, { isPatient: index > 0 })])
    },
  }))
  return { fileName: `${game.title}-certificates.zip`, content: await writeZip(files) }
}

/** Draws an example with invented names. @throws Problem `game.unknown`, `certificate.off` */
export async function previewCertificate(
  deps: CertificateDeps,
  gameId: number,
  isRanked: boolean,
  caller: QueueCaller,
): Promise<Download> {
  const game = await getGame(deps, gameId)
  const template = await getTemplate(deps, gameId)
  const page = pageOf(template, await readPictures(deps, template), {
    ...{ team: 'Kernel Panic', users: ['ada', 'grace', 'linus'], rank: isRanked ? 3 : undefined, points: 4210 },
    ...{ game: game.title, date: game.endsAt, division: 'Students' },
  })
  return { fileName: fileNameOf(game, 'preview'), content: await deps.certificates.draw(page, caller) }
}
