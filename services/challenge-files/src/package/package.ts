import { ChallengeTags, Difficulty } from '@capstan/contract/challenge-labels'
import { ChallengeCategory, ChallengeType } from '@capstan/contract/challenges'
import { AttachmentType } from '@capstan/contract/files'
import { nullable, nullableInteger, nullableNumber, nullableString } from '@capstan/contract/kit'
import { InputLimits, InstanceLimits, Limits, notEmpty, notNegative, positive, share } from '@capstan/contract/limits'
import { type Static, Type } from 'typebox'

/**
 * Package of a game: `manifest.json`, `game.json`, `challenges/challenge-{id}.json`, and files by their hash in `files/`. Unknown
 * members are ignored, so that packages of later versions can be read.
 */

export const packageVersion = '1.0'
/** Packages of other programs have another value here, which is ignored. */
export const packageFormat = 'CapstanGame'

function text(maxLength: number) {
  return Type.String({ maxLength })
}
function hash() {
  return Type.String({ pattern: '^[0-9a-fA-F]{64}$' })
}
function switchedOff() {
  return Type.Optional(Type.Boolean({ default: false }))
}
function instant() {
  return Type.String({ format: 'date-time', maxLength: InputLimits.instantMaxLength })
}
function permissions() {
  return Type.Optional(nullable(Type.Array(text(InputLimits.wordMaxLength), { maxItems: 32 })))
}

export const PackageManifest = Type.Object({
  version: text(InputLimits.wordMaxLength),
  format: text(InputLimits.wordMaxLength),
  exportedAt: instant(),
  exporterVersion: text(InputLimits.wordMaxLength),
  game: Type.Object({ id: Type.Integer(), title: text(InputLimits.titleMaxLength) }),
  statistics: Type.Object({
    challengeCount: Type.Integer(),
    divisionCount: Type.Integer(),
    totalFlags: Type.Integer(),
    totalFiles: Type.Integer(),
    totalFileSize: Type.Integer(),
  }),
})
export type PackageManifest = Static<typeof PackageManifest>

function perMille() {
  return Type.Optional(Type.Integer({ minimum: 0, maximum: 1_000 }))
}

export const PackageGame = Type.Object({
  title: Type.String({ ...notEmpty, maxLength: InputLimits.titleMaxLength }),
  summary: Type.Optional(nullableString({ maxLength: InputLimits.shortTextMaxLength })),
  content: Type.Optional(nullableString({ maxLength: InputLimits.longTextMaxLength })),
  hidden: switchedOff(),
  practiceMode: switchedOff(),
  acceptWithoutReview: switchedOff(),
  inviteCode: Type.Optional(nullableString({ maxLength: Limits.gameCodeMaxLength })),
  teamMemberCountLimit: Type.Optional(Type.Integer({ ...notNegative, maximum: InputLimits.int32Max })),
  containerCountLimit: Type.Optional(Type.Integer({ ...notNegative, maximum: InputLimits.int32Max })),
  startTime: instant(),
  endTime: instant(),
  writeup: Type.Optional(
    nullable(
      Type.Object({
        required: switchedOff(),
        deadline: Type.Optional(nullable(instant())),
        note: Type.Optional(nullableString({ maxLength: InputLimits.longTextMaxLength })),
      }),
    ),
  ),
  bloodBonus: Type.Optional(nullable(Type.Object({ first: perMille(), second: perMille(), third: perMille() }))),
  posterHash: Type.Optional(nullable(hash())),
  divisions: Type.Optional(
    nullable(
      Type.Array(
        Type.Object({
          name: Type.String({ ...notEmpty, maxLength: InputLimits.divisionNameMaxLength }),
          inviteCode: Type.Optional(nullableString({ maxLength: Limits.divisionCodeMaxLength })),
          defaultPermissions: permissions(),
          challengeConfig: Type.Optional(
            nullable(Type.Array(Type.Object({ challengeId: Type.Integer(), permissions: permissions() }), { maxItems: 10_000 })),
          ),
        }),
        { maxItems: InputLimits.divisionsMax },
      ),
    ),
  ),
})
export type PackageGame = Static<typeof PackageGame>

export const PackageAttachment = Type.Object({
  type: AttachmentType,
  hash: Type.Optional(nullable(hash())),
  fileName: Type.Optional(nullableString({ maxLength: InputLimits.fileNameMaxLength })),
  fileSize: Type.Optional(nullableInteger({ ...notNegative })),
  remoteUrl: Type.Optional(nullableString({ maxLength: InputLimits.urlMaxLength })),
})
export type PackageAttachment = Static<typeof PackageAttachment>

function within(minimum: number, maximum: number) {
  return Type.Optional(nullableInteger({ minimum, maximum }))
}

export const PackageChallenge = Type.Object({
  id: Type.Integer(),
  title: Type.String({ ...notEmpty, maxLength: InputLimits.titleMaxLength }),
  content: Type.Optional(nullableString({ maxLength: InputLimits.longTextMaxLength })),
  category: ChallengeCategory,
  type: ChallengeType,
  enabled: switchedOff(),
  /** Our own members, which are optional. Other programs ignore them. */
  tags: Type.Optional(nullable(ChallengeTags)),
  difficulty: Type.Optional(nullable(Difficulty)),
  scoring: Type.Optional(
    nullable(
      Type.Object({
        original: Type.Optional(nullableInteger({ ...notNegative, maximum: InputLimits.scoreMax })),
        minRate: Type.Optional(nullableNumber({ ...share })),
        difficulty: Type.Optional(nullableNumber({ ...positive, maximum: InputLimits.difficultyMax })),
      }),
    ),
  ),
  limits: Type.Optional(
    nullable(Type.Object({ submission: Type.Optional(nullableInteger()), deadline: Type.Optional(nullable(Type.Unknown())) })),
  ),
  flags: Type.Optional(
    nullable(
      Type.Object({
        template: Type.Optional(nullableString({ maxLength: Limits.flagTemplateMaxLength })),
        disableBloodBonus: switchedOff(),
        enableTrafficCapture: switchedOff(),
        static: Type.Optional(
          nullable(
            Type.Array(
              Type.Object({
                value: Type.String({ ...notEmpty, maxLength: Limits.flagMaxLength }),
                attachment: Type.Optional(nullable(PackageAttachment)),
              }),
              { maxItems: InputLimits.flagsPerCallMax },
            ),
          ),
        ),
      }),
    ),
  ),
  attachment: Type.Optional(nullable(PackageAttachment)),
  hints: Type.Optional(nullable(Type.Array(text(InputLimits.shortTextMaxLength), { maxItems: InputLimits.hintsMax }))),
  container: Type.Optional(
    nullable(
      Type.Object({
        image: Type.Optional(nullableString({ maxLength: InputLimits.imageNameMaxLength })),
        memoryLimit: within(InstanceLimits.memoryMbMin, InstanceLimits.memoryMbMax),
        cpuCount: within(InstanceLimits.cpuTenthsMin, InstanceLimits.cpuTenthsMax),
        storageLimit: within(0, InstanceLimits.storageMbMax),
        exposePort: within(InstanceLimits.portMin, InstanceLimits.portMax),
        networkMode: Type.Optional(nullableString({ maxLength: InputLimits.wordMaxLength })),
        fileName: Type.Optional(nullableString({ maxLength: InputLimits.fileNameMaxLength })),
      }),
    ),
  ),
})
export type PackageChallenge = Static<typeof PackageChallenge>
