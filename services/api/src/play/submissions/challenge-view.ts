import { hasContainer } from '@capstan/contract/challenge-types'
import type { ChallengeView } from '@capstan/contract/challenges'
import { Problem } from '@capstan/contract/problems'
import { presentInstanceEntry } from '../../instances/lifecycle/presenter.ts'
import { ensureAssignment } from '../../instances/team-flags/service.ts'
import { recordSystemAction } from '../../server/logs/record.ts'
import type { Player } from '../../server/players/service.ts'
import type { PlayDeps } from './deps.ts'
import { listBoughtHints } from './hint-repository.ts'
import { findAssigned, getPlayedChallenge } from './played-challenge.ts'
import { presentChallengeView } from './presenter.ts'
import { type ChallengeRow, findGivenFile, listFoundFlags } from './repository.ts'

/** Minimum time between two warnings that a challenge has no free file, in ms. */
const missingFileWarningMs = 3_600_000

/**
 * Logs that a challenge has no free file for a team. Logs at most once an hour for each challenge, because players can repeat the
 * call.
 */
function warnOfMissingFile(
  { clock, caches, platformLog }: Pick<PlayDeps, 'clock' | 'caches' | 'platformLog'>,
  { id, title }: ChallengeRow,
  { team }: Player,
): void {
  const nowMs = clock.now().getTime()
  if (nowMs - (caches.missingFileWarnings.get(id) ?? -Infinity) < missingFileWarningMs) return
  caches.missingFileWarnings.set(id, nowMs)
  const message = `No free file is left for team "${team.name}" in challenge "${title}"`
  recordSystemAction(platformLog, { level: 'Warning', message, status: 'NotFound' })
}

/**
 * Assigns a flag and a file to the team, unless the team has them already.
 * @throws Problem `challenge.attachments-exhausted`
 */
async function assign(deps: PlayDeps, player: Player, challenge: ChallengeRow): Promise<void> {
  const { game, participation } = player
  const assigned = await findAssigned(deps, { challengeId: challenge.id, participationId: participation.id }, challenge.type)
  try {
    await ensureAssignment(deps, { game, challenge, participation }, assigned)
  } catch (error) {
    if (error instanceof Problem && error.code === 'challenge.attachments-exhausted') warnOfMissingFile(deps, challenge, player)
    throw error
  }
}

/**
 * Returns a challenge. The first call assigns a flag and a file to the team.
 * @throws Problem `challenge.unknown`, `challenge.locked`, `challenge.attachments-exhausted`, or one of `PlayerService.get`
 */
export async function getChallengeView(
  deps: PlayDeps,
  gameId: number,
  challengeId: number,
  userId: string,
): Promise<ChallengeView> {
  const { db, clock, config, runtime, players, scoreboards, queries } = deps
  const player = await players.get('challenge', gameId, userId)
  const { game, participation } = player
  const { challenge, attachment, parts } = await getPlayedChallenge(deps, player, challengeId, 'see')
  await assign(deps, player, challenge)
  const key = { challengeId, participationId: participation.id }
  const view = {
    challenge,
    attachment: challenge.type === 'DynamicAttachment' ? await findGivenFile(db, key) : attachment,
    instance: hasContainer(challenge.type) ? await queries.findInstance(key) : undefined,
  }
  const entry = view.instance && presentInstanceEntry(view.instance, runtime.exposure, config.instances.publicHost)
  const attempts = await queries.countAttempts({ ...key, endsAt: game.endsAt })
  const boughtHints = new Set(challenge.pricedHints.length > 0 ? await listBoughtHints(db, key) : [])
  const found = parts.length > 0 ? await listFoundFlags(db, key) : []
  const team = { entry, attempts, boughtHints, parts, found, now: clock.now(), end: game.endsAt }
  return presentChallengeView(view, await scoreboards.read(gameId, 'public'), team)
}
