import { fileAddress } from '@capstan/contract/asset-address'
import type { ChallengeLabels, LabeledChallenge } from '@capstan/contract/challenge-labels'
import type { ChallengeBrief, ChallengeCategory, ChallengeEdit, ContainerInfo } from '@capstan/contract/challenges'
import type { ContainerChoices, ContainerSettings } from '@capstan/contract/container-definition'
import type { Attachment } from '@capstan/contract/files'
import type { ChallengeReach } from '@capstan/contract/reach'
import type { ChallengeReadiness } from '@capstan/contract/readiness'
import { challengeValue, minimumValue } from '@capstan/contract/score'
import { hasContainer, hasFlagList } from './policy.ts'
import type { AttachmentRow, ChallengeRow, FlagRow, ReadinessRow } from './repository.ts'

export const presentAttachment = (attachment: AttachmentRow): Attachment => ({
  id: attachment.id,
  type: attachment.type,
  url:
    attachment.fileHash === null ? attachment.remoteUrl : fileAddress(attachment.fileHash, attachment.fileName ?? 'attachment'),
  fileSize: attachment.sizeBytes,
})

/** @param solvers accepted teams that solved it, which its present value depends on */
export const presentChallengeBrief = (challenge: ChallengeRow, solvers: number): ChallengeBrief => ({
  id: challenge.id,
  title: challenge.title,
  category: challenge.category as ChallengeCategory,
  type: challenge.type,
  isEnabled: challenge.isEnabled,
  score: challengeValue(challenge, solvers),
  minScore: minimumValue(challenge),
  originalScore: challenge.originalScore,
})

export const presentChallengeReach = ({
  speaks,
  isRawHttp,
  hasOwnCertificate,
  isGuarded,
}: Pick<ChallengeRow, 'speaks' | 'isRawHttp' | 'hasOwnCertificate' | 'isGuarded'>): ChallengeReach => ({
  speaks,
  isRaw: isRawHttp,
  hasOwnCertificate,
  isGuarded,
})

export const presentLabels = ({ tags, level }: Pick<ChallengeRow, 'tags' | 'level'>): ChallengeLabels => ({
  tags,
  difficulty: level,
})

export const presentLabeled = (challenge: ChallengeRow): LabeledChallenge => ({ id: challenge.id, ...presentLabels(challenge) })

export const presentReadiness = ({ id, title, isEnabled, type, image, hasFlag, hasRun }: ReadinessRow): ChallengeReadiness => ({
  id,
  title,
  isEnabled,
  hasFlag: hasFlag || !hasFlagList(type),
  hasImage: hasContainer(type) ? image !== '' : null,
  hasRun: hasContainer(type) ? hasRun : null,
})

/** Secret variables are told by name alone. */
export const presentContainer = ({ container, containerSecrets }: ChallengeRow, choices: ContainerChoices): ContainerSettings => {
  const secrets = Object.keys(containerSecrets).map((name) => ({ name }))
  return { definition: { ...container, ...(secrets.length > 0 && { secrets }) }, choices }
}

export const presentChallengeEdit = (
  challenge: ChallengeRow,
  parts: {
    readonly attachment: AttachmentRow | undefined
    readonly flags: readonly FlagRow[]
    readonly testContainer: ContainerInfo | undefined
  },
): ChallengeEdit => ({
  id: challenge.id,
  title: challenge.title,
  content: challenge.content,
  category: challenge.category as ChallengeCategory,
  type: challenge.type,
  hints: challenge.hints,
  flagTemplate: challenge.flagTemplate,
  isEnabled: challenge.isEnabled,
  acceptedCount: challenge.acceptedCount,
  fileName: challenge.fileName,
  attachment: parts.attachment ? presentAttachment(parts.attachment) : null,
  testContainer: parts.testContainer ?? null,
  flags: parts.flags.map(({ id, flag, attachment }) => ({
    id,
    flag,
    attachment: attachment === null ? null : presentAttachment(attachment),
  })),
  containerImage: challenge.containerImage,
  memoryLimit: challenge.memoryMb,
  cpuCount: challenge.cpuTenths,
  storageLimit: challenge.storageMb,
  containerExposePort: challenge.exposedPort,
  enableTrafficCapture: challenge.captureTraffic,
  originalScore: challenge.originalScore,
  minScoreRate: challenge.minScoreRate,
  difficulty: challenge.difficulty,
})
