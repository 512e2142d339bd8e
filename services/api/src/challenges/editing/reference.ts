import type { ChallengeCategory, ChallengeEdit, ChallengeUpdate, ContainerInfo } from '@capstan/contract/challenges'
import { presentAttachment } from './presenter.ts'
import type { AttachmentRow, ChallengeRow, ChallengeValues, FlagRow } from './repository.ts'

/** Adapter between documented calls and `Challenge`: their fields have different names. */

/** Returns the columns of an edit. Absent and null fields change nothing; a blank template removes the template. */
export function valuesAfter(challenge: ChallengeRow, update: ChallengeUpdate): ChallengeValues {
  return {
    title: update.title?.trim() ?? challenge.title,
    content: update.content ?? challenge.content,
    category: update.category ?? challenge.category,
    hints: update.hints ?? challenge.hints,
    flagTemplate: update.flagTemplate == null ? challenge.flagTemplate : update.flagTemplate.trim() || null,
    isEnabled: update.isEnabled ?? challenge.isEnabled,
    fileName: update.fileName?.trim() ?? challenge.fileName,
    containerImage: update.containerImage?.trim() ?? challenge.containerImage,
    memoryMb: update.memoryLimit ?? challenge.memoryMb,
    cpuTenths: update.cpuCount ?? challenge.cpuTenths,
    storageMb: update.storageLimit ?? challenge.storageMb,
    exposedPort: update.containerExposePort ?? challenge.exposedPort,
    captureTraffic: update.enableTrafficCapture ?? challenge.captureTraffic,
    originalScore: update.originalScore ?? challenge.originalScore,
    minScoreRate: update.minScoreRate ?? challenge.minScoreRate,
    difficulty: update.difficulty ?? challenge.difficulty,
  }
}

export function presentChallengeEdit(
  challenge: ChallengeRow,
  parts: {
    readonly attachment: AttachmentRow | undefined
    readonly flags: readonly FlagRow[]
    readonly testContainer: ContainerInfo | undefined
  },
): ChallengeEdit {
  return {
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
  }
}
