import { pathOfStoredFile } from '@capstan/contract/asset-address'
import type { ChallengeLabels, LabeledChallenge } from '@capstan/contract/challenge-labels'
import { hasContainer, hasFlagList } from '@capstan/contract/challenge-types'
import type { ChallengeBrief, ChallengeCategory } from '@capstan/contract/challenges'
import type { ContainerChoices, ContainerSettings } from '@capstan/contract/container-definition'
import type { Attachment } from '@capstan/contract/files'
import type { ChallengeReadiness } from '@capstan/contract/readiness'
import { challengeValue, minimumValue } from '@capstan/contract/score'
import type { AttachmentRow, ChallengeRow, ReadinessRow } from './repository.ts'

export function presentAttachment(attachment: AttachmentRow): Attachment {
  return {
    id: attachment.id,
    type: attachment.type,
    url:
      attachment.fileHash === null
        ? attachment.remoteUrl
        : pathOfStoredFile(attachment.fileHash, attachment.fileName ?? 'attachment'),
    fileSize: attachment.sizeBytes,
  }
}

/** @param maxSolvers number of solvers of the most solved enabled challenge in the game */
export function presentChallengeBrief(challenge: ChallengeRow, solvers: number, maxSolvers: number): ChallengeBrief {
  return {
    id: challenge.id,
    title: challenge.title,
    category: challenge.category as ChallengeCategory,
    type: challenge.type,
    isEnabled: challenge.isEnabled,
    score: challengeValue(challenge, solvers, maxSolvers),
    minScore: minimumValue(challenge),
    originalScore: challenge.points,
    releaseUtc: challenge.releaseAt?.getTime() ?? null,
    isReleased: challenge.isReleased,
    deadlineUtc: challenge.deadlineAt?.getTime() ?? null,
    hasUnlockRule: challenge.unlockRule !== null,
  }
}

export function presentLabels({ tags, difficulty }: Pick<ChallengeRow, 'tags' | 'difficulty'>): ChallengeLabels {
  return { tags, difficulty }
}

export function presentLabeledChallenge(challenge: ChallengeRow): LabeledChallenge {
  return { id: challenge.id, ...presentLabels(challenge) }
}

/** @param tested the ids of challenges whose current images were ready in a test instance */
export function presentReadiness(
  { id, title, isEnabled, type, hasFlag, hasImage }: ReadinessRow,
  tested: ReadonlySet<number>,
): ChallengeReadiness {
  return {
    id,
    title,
    isEnabled,
    hasFlag: hasFlag || !hasFlagList(type),
    hasImage: hasContainer(type) ? hasImage : null,
    hasRun: hasContainer(type) ? tested.has(id) : null,
  }
}

/** Returns the container settings, with the names but not the values of secret variables. */
export function presentContainer({ container, containerSecrets }: ChallengeRow, choices: ContainerChoices): ContainerSettings {
  const secrets = Object.keys(containerSecrets).map((name) => ({ name }))
  return { definition: { ...container, ...(secrets.length > 0 && { secrets }) }, choices }
}
