import {
  type PackageAttachment,
  type PackageChallenge,
  type PackageGame,
  type PackageManifest,
  packageFormat,
  packageVersion,
} from '@capstan/challenge-files/package/package'
import { decodeBloodBonus } from '@capstan/contract/blood'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import type { StoredChallenge } from '../challenges/exchange-service.ts'
import type { GameWithDivisions } from '../games/service.ts'

/** Every division lets its teams do everything. */
const everything = ['All']

type Attached = NonNullable<StoredChallenge['attachment']>

const presentAttachment = ({ type, fileHash, fileName, sizeBytes, remoteUrl }: Attached): PackageAttachment => ({
  type,
  hash: fileHash,
  fileName,
  fileSize: sizeBytes,
  remoteUrl,
})

const presentGame = ({ game, divisions }: GameWithDivisions): PackageGame => {
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
    posterHash: game.posterHash,
    divisions: divisions.map(({ name, inviteCode }) => ({
      name,
      inviteCode,
      defaultPermissions: everything,
      challengeConfig: [],
    })),
  }
}

const presentChallenge = ({ challenge, attachment, flags }: StoredChallenge): PackageChallenge => ({
  id: challenge.id,
  title: challenge.title,
  content: challenge.content,
  category: challenge.category as ChallengeCategory,
  type: challenge.type,
  enabled: challenge.isEnabled,
  ...(challenge.tags.length === 0 ? {} : { tags: challenge.tags }),
  ...(challenge.level === null ? {} : { difficulty: challenge.level }),
  scoring: { original: challenge.originalScore, minRate: challenge.minScoreRate, difficulty: challenge.difficulty },
  limits: { submission: 0, deadline: null },
  flags: {
    template: challenge.flagTemplate,
    disableBloodBonus: false,
    enableTrafficCapture: challenge.captureTraffic,
    // A pattern would be read as a flag there, and be right as it stands.
    static: flags
      .filter(({ kind }) => kind !== 'Pattern')
      .map(({ flag, attachment: own }) => ({ value: flag, attachment: own && presentAttachment(own) })),
  },
  attachment: attachment === undefined ? null : presentAttachment(attachment),
  hints: challenge.hints,
  container: challenge.type.endsWith('Container')
    ? {
        image: challenge.containerImage,
        memoryLimit: challenge.memoryMb,
        cpuCount: challenge.cpuTenths,
        storageLimit: challenge.storageMb,
        exposePort: challenge.exposedPort,
        networkMode: 'Open',
        fileName: challenge.fileName,
      }
    : { fileName: challenge.fileName },
})

const json = (value: unknown): string => `${JSON.stringify(value, undefined, 2)}\n`

/**
 * The texts of a package.
 *
 * @param contents bytes of every file that goes with it, by hash
 */
export const packageTexts = (
  game: GameWithDivisions,
  challenges: readonly StoredChallenge[],
  contents: ReadonlyMap<string, number>,
  { exportedAt, exporterVersion }: { readonly exportedAt: Date; readonly exporterVersion: string },
): Map<string, string> => {
  const manifest: PackageManifest = {
    version: packageVersion,
    format: packageFormat,
    exportedAt: exportedAt.toISOString(),
    exporterVersion,
    game: { id: game.game.id, title: game.game.title },
    statistics: {
      challengeCount: challenges.length,
      divisionCount: game.divisions.length,
      totalFlags: challenges.reduce((sum, { flags }) => sum + flags.length, 0),
      totalFiles: contents.size,
      totalFileSize: [...contents.values()].reduce((sum, sizeBytes) => sum + sizeBytes, 0),
    },
  }
  return new Map([
    ['manifest.json', json(manifest)],
    ['game.json', json(presentGame(game))],
    ...challenges.map((each): [string, string] => [
      `challenges/challenge-${each.challenge.id}.json`,
      json(presentChallenge(each)),
    ]),
  ])
}
