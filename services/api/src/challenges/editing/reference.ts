import type { ChallengeFileRef } from '@capstan/contract/challenge'
import type { ChallengeLabels } from '@capstan/contract/challenge-labels'
import { changeEntryContainer, defaultAttachmentName, entryContainerOf } from '@capstan/contract/challenge-parts'
import type { ChallengeCategory, ChallengeEdit, ChallengeUpdate, ContainerInfo } from '@capstan/contract/challenges'
import { toContainerLimits, toReferenceLimits } from '@capstan/contract/reference-limits'
import { normalizeTags } from '@capstan/contract/tags'
import { listStoredHints, matchStoredHints } from '../../rules/scoring/hints.ts'
import type { AttachmentSource } from './policy.ts'
import { presentAttachment } from './presenter.ts'
import type { AttachmentRow, ChallengeRow, FlagRow } from './repository.ts'
import { changeEntryPort, type StoredChallenge } from './rows.ts'

/** Converts stored challenges to and from the requests and responses of the reference platform. */

/** Returns the instant to store after an edit. The value 0 clears the instant. An absent or null value retains it. */
function instantAfter(update: number | null | undefined, stored: number | null): number | null {
  return update === 0 ? null : (update ?? stored)
}

/** Applies an edit. Absent and null fields change nothing. A blank template removes the template. */
export function applyChallengeUpdate(challenge: StoredChallenge, update: ChallengeUpdate): StoredChallenge {
  const container = entryContainerOf(challenge)
  return changeEntryContainer(
    {
      ...challenge,
      title: update.title?.trim() ?? challenge.title,
      description: update.content ?? challenge.description,
      category: update.category ?? challenge.category,
      hints: update.hints ? matchStoredHints(update.hints, challenge.hints) : challenge.hints,
      template: update.flagTemplate?.trim() ?? challenge.template,
      enabled: update.isEnabled ?? challenge.enabled,
      attachmentName: update.fileName?.trim() ?? challenge.attachmentName,
      points: update.originalScore ?? challenge.points,
      minimumShare: update.minScoreRate ?? challenge.minimumShare,
      decay: update.difficulty ?? challenge.decay,
      release: instantAfter(update.releaseUtc, challenge.release),
      deadline: instantAfter(update.deadlineUtc, challenge.deadline),
      submissionLimit: update.submissionLimit ?? challenge.submissionLimit,
      cooldownSeconds: update.cooldownSeconds ?? challenge.cooldownSeconds,
      bloods: update.disableBloodBonus == null ? challenge.bloods : !update.disableBloodBonus,
    },
    {
      ...changeEntryPort(container, update.containerExposePort ?? container.port),
      image: update.containerImage?.trim() ?? container.image,
      ...toContainerLimits(update),
      // Clients of the reference platform can send only true or false for the recording of traffic. Therefore the value true does
      // not change the stored value `all`.
      capture: (update.enableTrafficCapture ?? container.capture !== false) && (container.capture || true),
    },
  )
}

export function applyChallengeLabels(challenge: StoredChallenge, { tags, difficulty }: ChallengeLabels): StoredChallenge {
  return { ...challenge, tags: normalizeTags(tags), difficulty }
}

/** @param names map from the hash of an uploaded file to its name */
export function fileOfAttachmentSource(
  source: AttachmentSource | undefined,
  names: ReadonlyMap<string, string>,
): ChallengeFileRef | null {
  if (source === undefined) return null
  if (source.type === 'Remote') return { url: source.remoteUrl }
  return { hash: source.fileHash, name: names.get(source.fileHash) ?? defaultAttachmentName }
}

export function presentChallengeEdit(
  challenge: ChallengeRow,
  parts: Readonly<{
    attachment: AttachmentRow | undefined
    flags: readonly FlagRow[]
    testContainer: ContainerInfo | undefined
  }>,
): ChallengeEdit {
  return {
    id: challenge.id,
    title: challenge.title,
    content: challenge.content,
    category: challenge.category as ChallengeCategory,
    type: challenge.type,
    hints: listStoredHints(challenge).map(({ text }) => text),
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
    ...toReferenceLimits(challenge),
    containerExposePort: challenge.port,
    enableTrafficCapture: challenge.capture,
    originalScore: challenge.points,
    minScoreRate: challenge.minimumShare,
    difficulty: challenge.decay,
    submissionLimit: challenge.submissionLimit,
    cooldownSeconds: challenge.cooldownSeconds,
    disableBloodBonus: !challenge.hasBloods,
    releaseUtc: challenge.releaseAt?.getTime() ?? null,
    deadlineUtc: challenge.deadlineAt?.getTime() ?? null,
  }
}
