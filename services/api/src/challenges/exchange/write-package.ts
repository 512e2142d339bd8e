import type { ChallengeFlag } from '@capstan/challenge-files/challenge/challenge'
import {
  type PackageAttachment,
  type PackageChallenge,
  type PackageGame,
  type PackageManifest,
  packageFormat,
  packageVersion,
} from '@capstan/challenge-files/package/package'
import { permissionNames } from '@capstan/challenge-files/package/permissions'
import { decodeBloodBonus } from '@capstan/contract/blood'
import type { ChallengeFileRef } from '@capstan/contract/challenge'
import { entryContainerOf } from '@capstan/contract/challenge-parts'
import { hasContainer } from '@capstan/contract/challenge-types'
import { toReferenceLimits } from '@capstan/contract/reference-limits'
import type { CertificateRow } from '../../games/certificates/service.ts'
import type { DivisionWithOverrides } from '../../games/editing/division-service.ts'
import type { GameRow } from '../../games/editing/service.ts'
import type { NumberedChallenge } from '../editing/exchange-service.ts'

/** Sizes of the stored files in bytes, by hash. */
type Contents = ReadonlyMap<string, number>

function presentFile(file: ChallengeFileRef | null, contents: Contents): PackageAttachment | null {
  if (file === null) return null
  return 'url' in file
    ? { type: 'Remote', hash: null, fileName: null, fileSize: null, remoteUrl: file.url }
    : { type: 'Local', hash: file.hash, fileName: file.name, fileSize: contents.get(file.hash) ?? null, remoteUrl: null }
}

/** Settings of a game, and its divisions in any order. */
export type ExportedGame = Readonly<{
  game: GameRow
  /** Certificate template. Undefined if the game has no template. */
  certificate: CertificateRow | undefined
  divisions: readonly DivisionWithOverrides[]
}>

function presentCertificate({ gameId: _, ...certificate }: CertificateRow): NonNullable<PackageGame['certificate']> {
  return certificate
}

function presentGame({ game, certificate, divisions }: ExportedGame): PackageGame {
  const { first, second, third } = decodeBloodBonus(game.bloodBonus)
  return {
    title: game.title,
    summary: game.summary,
    content: game.content,
    hidden: game.hidden,
    practiceMode: game.practiceMode,
    acceptWithoutReview: game.acceptWithoutReview,
    inviteCode: game.inviteCode,
    teamMemberCountLimit: game.teamMemberCountLimit,
    containerCountLimit: game.containerCountLimit,
    startTime: game.startsAt.toISOString(),
    endTime: game.endsAt.toISOString(),
    writeup: { required: game.writeupRequired, deadline: game.writeupDeadline.toISOString(), note: game.writeupNote },
    bloodBonus: { first, second, third },
    ...(game.bloodPoints && { bloodPoints: game.bloodPoints }),
    ...(game.allowsDebt && { allowsDebt: true }),
    ...(game.freezeAt && { freeze: game.freezeAt.toISOString() }),
    ...(game.registrationOpensAt && { registrationOpens: game.registrationOpensAt.toISOString() }),
    ...(game.registrationClosesAt && { registrationCloses: game.registrationClosesAt.toISOString() }),
    ...(game.teamLimit !== null && { teamLimit: game.teamLimit }),
    ...(game.survey !== 'Off' && { survey: game.survey }),
    ...(game.questions.some(({ archived }) => !archived) && {
      questions: game.questions.filter(({ archived }) => !archived),
    }),
    posterHash: game.posterHash,
    // Until an organizer saves a template, it has no title and contains only pictures. Do not export such a template.
    ...(certificate && certificate.title !== '' && { certificate: presentCertificate(certificate) }),
    divisions: divisions.map(({ division, overrides }) => ({
      name: division.name,
      inviteCode: division.inviteCode,
      defaultPermissions: permissionNames(division.permissions),
      challengeConfig: overrides.map(({ challengeId, permissions }) => ({
        challengeId,
        permissions: permissionNames(permissions),
      })),
    })),
  }
}

function timesOf({ release, deadline }: NumberedChallenge['challenge']) {
  const text = (ms: number | null) => (ms === null ? null : new Date(ms).toISOString())
  return { deadline: text(deadline), ...(release !== null && { release: text(release) }) }
}

function presentFlag({ flag, file, points }: ChallengeFlag, contents: Contents) {
  return { value: flag, attachment: presentFile(file, contents), ...(points !== undefined && { points }) }
}

function presentChallenge({ id, challenge }: NumberedChallenge, contents: Contents): PackageChallenge {
  const container = entryContainerOf(challenge)
  const { flags } = challenge
  const patterns = flags.filter(({ kind }) => kind === 'Pattern')
  const fileName = challenge.attachmentName
  return {
    id,
    title: challenge.title,
    content: challenge.description,
    category: challenge.category,
    type: challenge.type,
    enabled: challenge.enabled,
    ...(challenge.tags.length > 0 && { tags: challenge.tags }),
    ...(challenge.difficulty !== null && { difficulty: challenge.difficulty }),
    scoring: {
      original: challenge.points,
      minRate: challenge.minimumShare,
      difficulty: challenge.decay,
      curve: challenge.curve,
      fixed: challenge.isValueFixed,
    },
    limits: { submission: challenge.submissionLimit, cooldownSeconds: challenge.cooldownSeconds, ...timesOf(challenge) },
    flags: {
      template: challenge.template || null,
      disableBloodBonus: !challenge.bloods,
      enableTrafficCapture: container.capture !== false,
      static: flags
        .filter(({ kind }) => kind !== 'Pattern')
        .map((flag) => ({ ...presentFlag(flag, contents), ...(flag.kind === 'Caseless' && { ignoresCase: true }) })),
      ...(patterns.length > 0 && { patterns: patterns.map((flag) => presentFlag(flag, contents)) }),
    },
    attachment: presentFile(challenge.attachment, contents),
    ...(challenge.unlock && { unlock: challenge.unlock }),
    hints: challenge.hints.map(({ text }) => text),
    ...(challenge.hints.some(({ price }) => price > 0) && { hintPrices: challenge.hints.map(({ price }) => price) }),
    container: hasContainer(challenge.type)
      ? {
          image: container.image,
          ...toReferenceLimits(container),
          exposePort: container.port,
          networkMode: 'Open',
          fileName,
        }
      : { fileName },
    ...(hasContainer(challenge.type) && { containers: challenge.containers }),
  }
}

function json(value: unknown): string {
  return `${JSON.stringify(value, undefined, 2)}\n`
}

/**
 * Returns the text files of a game package.
 * @param contents map from the hash of each stored file in the package to its size in bytes
 */
export function createTextsOfPackage(
  game: ExportedGame,
  challenges: readonly NumberedChallenge[],
  contents: Contents,
  { exportedAt, exporterVersion }: Readonly<{ exportedAt: Date; exporterVersion: string }>,
): Map<string, string> {
  const manifest: PackageManifest = {
    version: packageVersion,
    format: packageFormat,
    exportedAt: exportedAt.toISOString(),
    exporterVersion,
    game: { id: game.game.id, title: game.game.title },
    statistics: {
      challengeCount: challenges.length,
      divisionCount: game.divisions.length,
      totalFlags: challenges.reduce((sum, { challenge }) => sum + challenge.flags.length, 0),
      totalFiles: contents.size,
      totalFileSize: [...contents.values()].reduce((sum, sizeBytes) => sum + sizeBytes, 0),
    },
  }
  return new Map([
    ['manifest.json', json(manifest)],
    ['game.json', json(presentGame(game))],
    ...challenges.map((each): [string, string] => [
      `challenges/challenge-${each.id}.json`,
      json(presentChallenge(each, contents)),
    ]),
  ])
}
