import { containerOf, withUsedParts } from '@capstan/challenge-files/challenge/challenge'
import { plainReach } from '@capstan/challenge-files/challenge/read'
import { plainDefinition } from '@capstan/challenge-files/format/container'
import { type Challenge, type ChallengeFileRef, defaultAttachmentName } from '@capstan/contract/challenge'
import type { ChallengeCategory } from '@capstan/contract/challenges'
import type { AttachmentRow, ChallengeRow, FlagRow } from './repository.ts'

/** All rows of one challenge. */
export type ChallengeRows = Readonly<{
  challenge: ChallengeRow
  attachment: AttachmentRow | undefined
  flags: readonly FlagRow[]
}>

type AttachmentSource = Pick<AttachmentRow, 'fileHash' | 'fileName' | 'remoteUrl'>

export function fileRefOf({ fileHash, fileName, remoteUrl }: AttachmentSource): ChallengeFileRef {
  return fileHash === null ? { url: remoteUrl ?? '' } : { hash: fileHash, name: fileName ?? defaultAttachmentName }
}

export function attachmentValuesOf(file: ChallengeFileRef) {
  return 'url' in file
    ? ({ type: 'Remote', remoteUrl: file.url } as const)
    : ({ type: 'Local', fileHash: file.hash, fileName: file.name } as const)
}

/** Returns a challenge from its rows. Secret variables have a name and no value. */
export function challengeOfRows({ challenge: row, attachment, flags }: ChallengeRows): Challenge {
  const secrets = Object.keys(row.containerSecrets)
    .sort()
    .map((name) => ({ name }))
  return withUsedParts<ChallengeFileRef>({
    title: row.title,
    category: row.category as ChallengeCategory,
    type: row.type,
    tags: row.tags,
    difficulty: row.level,
    enabled: row.isEnabled,
    description: row.content,
    points: row.originalScore,
    minimumShare: row.minScoreRate,
    decay: row.difficulty,
    hints: row.hints,
    flags: flags.map(({ flag, kind, attachment: own }) => ({
      flag,
      file: own && fileRefOf(own),
      ...(kind !== 'Exact' && { kind }),
    })),
    template: row.flagTemplate ?? '',
    attachment: attachment === undefined ? null : fileRefOf(attachment),
    attachmentName: row.fileName,
    containers: [
      {
        image: row.containerImage,
        port: row.exposedPort,
        reach: plainReach({
          speaks: row.speaks,
          isRaw: row.isRawHttp,
          hasOwnCertificate: row.hasOwnCertificate,
          isGuarded: row.isGuarded,
        }),
        cpuTenths: row.cpuTenths,
        memoryMb: row.memoryMb,
        storageMb: row.storageMb,
        capture: row.captureTraffic,
        definition: { ...plainDefinition(row.container, row.exposedPort), ...(secrets.length > 0 && { secrets }) },
      },
    ],
  })
}

/** Returns the columns of a challenge, without its files and the values of its secrets. */
export function columnsOf(challenge: Challenge) {
  const { image, port, reach, cpuTenths, memoryMb, storageMb, capture, definition } = containerOf(challenge)
  const { secrets: _, ...container } = definition
  return {
    title: challenge.title,
    category: challenge.category,
    type: challenge.type,
    tags: challenge.tags,
    level: challenge.difficulty,
    isEnabled: challenge.enabled,
    content: challenge.description,
    originalScore: challenge.points,
    minScoreRate: challenge.minimumShare,
    difficulty: challenge.decay,
    hints: challenge.hints,
    flagTemplate: challenge.template === '' ? null : challenge.template,
    fileName: challenge.attachmentName,
    containerImage: image,
    exposedPort: port,
    speaks: reach.speaks,
    isRawHttp: reach.isRaw,
    hasOwnCertificate: reach.hasOwnCertificate,
    isGuarded: reach.isGuarded ?? false,
    cpuTenths,
    memoryMb,
    storageMb,
    captureTraffic: capture,
    container,
  }
}
