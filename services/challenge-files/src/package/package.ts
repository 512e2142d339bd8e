import { CertificateWrite } from '@capstan/contract/certificates'
import { Challenge, FlagPoints } from '@capstan/contract/challenge'
import { ChallengeTags, Difficulty } from '@capstan/contract/challenge-labels'
import { ChallengeCategory, ChallengeType } from '@capstan/contract/challenges'
import { BloodPoints } from '@capstan/contract/common'
import { AttachmentType } from '@capstan/contract/files'
import { HintPrice } from '@capstan/contract/hints'
import { nullable, nullableInteger, nullableNumber, nullableString, stringEnum } from '@capstan/contract/kit'
import { InputLimits, InstanceLimits, Limits, notEmpty, notNegative, positive, share } from '@capstan/contract/limits'
import { QuestionWrite } from '@capstan/contract/questions'
import { curveNames } from '@capstan/contract/score'
import { SurveyMode } from '@capstan/contract/surveys'
import { UnlockRule } from '@capstan/contract/unlock'
import { type Static, type TProperties, Type } from 'typebox'

/**
 * Package of a game. It contains `manifest.json`, `game.json`, `challenges/challenge-{id}.json`, and files named by their hash in
 * `files/`. Unknown properties are ignored, so that packages of later versions can be read.
 */

export const packageVersion = '1.0'
/**
 * Name of the format. The platform ignores the name when it reads a package, because packages of other programs have another
 * name.
 */
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
  return Type.String({ format: 'date-time', maxLength: InputLimits.maxInstantLength })
}
function permissions() {
  return Type.Optional(nullable(Type.Array(text(InputLimits.maxWordLength), { maxItems: 32 })))
}

export const PackageManifest = Type.Object({
  version: text(InputLimits.maxWordLength),
  format: text(InputLimits.maxWordLength),
  exportedAt: instant(),
  exporterVersion: text(InputLimits.maxWordLength),
  game: Type.Object({ id: Type.Integer(), title: text(InputLimits.maxTitleLength) }),
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
  title: Type.String({ ...notEmpty, maxLength: InputLimits.maxTitleLength }),
  summary: Type.Optional(nullableString({ maxLength: InputLimits.maxShortTextLength })),
  content: Type.Optional(nullableString({ maxLength: InputLimits.maxLongTextLength })),
  hidden: switchedOff(),
  practiceMode: switchedOff(),
  acceptWithoutReview: switchedOff(),
  inviteCode: Type.Optional(nullableString({ maxLength: Limits.maxGameCodeLength })),
  teamMemberCountLimit: Type.Optional(Type.Integer({ ...notNegative, maximum: InputLimits.maxInt32 })),
  containerCountLimit: Type.Optional(Type.Integer({ ...notNegative, maximum: InputLimits.maxInt32 })),
  startTime: instant(),
  endTime: instant(),
  writeup: Type.Optional(
    nullable(
      Type.Object({
        required: switchedOff(),
        deadline: Type.Optional(nullable(instant())),
        note: Type.Optional(nullableString({ maxLength: InputLimits.maxLongTextLength })),
      }),
    ),
  ),
  bloodBonus: Type.Optional(nullable(Type.Object({ first: perMille(), second: perMille(), third: perMille() }))),
  // Only this platform writes the properties from `bloodPoints` to `questions`. Other programs ignore these properties.
  bloodPoints: Type.Optional(nullable(BloodPoints)),
  allowsDebt: switchedOff(),
  freeze: Type.Optional(nullable(instant())),
  registrationOpens: Type.Optional(nullable(instant())),
  registrationCloses: Type.Optional(nullable(instant())),
  teamLimit: Type.Optional(nullableInteger({ ...positive, maximum: InputLimits.maxInt32 })),
  survey: Type.Optional(nullable(SurveyMode)),
  questions: Type.Optional(nullable(Type.Array(QuestionWrite, { maxItems: Limits.maxQuestions }))),
  posterHash: Type.Optional(nullable(hash())),
  /** Certificate template of the game. Only this platform writes this property. */
  certificate: Type.Optional(
    nullable(
      Type.Object({
        ...CertificateWrite.properties,
        backgroundHash: Type.Optional(nullable(hash())),
        logoHash: Type.Optional(nullable(hash())),
        signatureHash: Type.Optional(nullable(hash())),
      }),
    ),
  ),
  divisions: Type.Optional(
    nullable(
      Type.Array(
        Type.Object({
          name: Type.String({ ...notEmpty, maxLength: InputLimits.maxDivisionNameLength }),
          inviteCode: Type.Optional(nullableString({ maxLength: Limits.maxDivisionCodeLength })),
          defaultPermissions: permissions(),
          challengeConfig: Type.Optional(
            nullable(Type.Array(Type.Object({ challengeId: Type.Integer(), permissions: permissions() }), { maxItems: 10_000 })),
          ),
        }),
        { maxItems: InputLimits.maxDivisions },
      ),
    ),
  ),
})
export type PackageGame = Static<typeof PackageGame>

export const PackageAttachment = Type.Object({
  type: AttachmentType,
  hash: Type.Optional(nullable(hash())),
  fileName: Type.Optional(nullableString({ maxLength: InputLimits.maxFileNameLength })),
  fileSize: Type.Optional(nullableInteger({ ...notNegative })),
  remoteUrl: Type.Optional(nullableString({ maxLength: InputLimits.maxUrlLength })),
})
export type PackageAttachment = Static<typeof PackageAttachment>

function flagList<Value extends TProperties>(value: Value) {
  const attachment = Type.Optional(nullable(PackageAttachment))
  const flag = Type.Object({ ...value, attachment, points: Type.Optional(nullable(FlagPoints)) })
  return Type.Optional(nullable(Type.Array(flag, { maxItems: InputLimits.maxFlagsPerCall })))
}

function within(minimum: number, maximum: number) {
  return Type.Optional(nullableInteger({ minimum, maximum }))
}

export const PackageChallenge = Type.Object({
  id: Type.Integer(),
  title: Type.String({ ...notEmpty, maxLength: InputLimits.maxTitleLength }),
  content: Type.Optional(nullableString({ maxLength: InputLimits.maxLongTextLength })),
  category: ChallengeCategory,
  type: ChallengeType,
  enabled: switchedOff(),
  // Only this platform writes `tags` and `difficulty`. Other programs ignore these properties.
  tags: Type.Optional(nullable(ChallengeTags)),
  difficulty: Type.Optional(nullable(Difficulty)),
  scoring: Type.Optional(
    nullable(
      Type.Object({
        original: Type.Optional(nullableInteger({ ...notNegative, maximum: InputLimits.maxScore })),
        minRate: Type.Optional(nullableNumber({ ...share })),
        difficulty: Type.Optional(nullableNumber({ ...positive, maximum: InputLimits.maxDecay })),
        // Only this platform writes `curve` and `fixed`.
        curve: Type.Optional(nullable(stringEnum(curveNames))),
        fixed: switchedOff(),
      }),
    ),
  ),
  limits: Type.Optional(
    nullable(
      Type.Object({
        submission: within(0, Limits.maxSubmissionLimit),
        cooldownSeconds: within(0, Limits.maxCooldownSeconds),
        deadline: Type.Optional(nullable(Type.Unknown())),
        /** Time of the planned release. Only this platform writes this property. */
        release: Type.Optional(nullable(Type.Unknown())),
      }),
    ),
  ),
  flags: Type.Optional(
    nullable(
      Type.Object({
        template: Type.Optional(nullableString({ maxLength: Limits.maxFlagTemplateLength })),
        disableBloodBonus: switchedOff(),
        enableTrafficCapture: switchedOff(),
        static: flagList({
          value: Type.String({ ...notEmpty, maxLength: Limits.maxFlagLength }),
          /** True if the comparison with the flag ignores upper and lower case. Only this platform writes this property. */
          ignoresCase: switchedOff(),
        }),
        /** List of flag patterns. The list is separate, so that other programs do not use a pattern as a flag. */
        patterns: flagList({ value: Type.String({ ...notEmpty, maxLength: Limits.maxFlagPatternLength }) }),
      }),
    ),
  ),
  attachment: Type.Optional(nullable(PackageAttachment)),
  /** Unlock rule. Only this platform writes this property. The challenge ids in the rule are ids in the package. */
  unlock: Type.Optional(nullable(UnlockRule)),
  /** Price of each hint, in the order of `hints`. Only this platform writes this property. */
  hintPrices: Type.Optional(nullable(Type.Array(HintPrice, { maxItems: InputLimits.maxHints }))),
  hints: Type.Optional(nullable(Type.Array(text(InputLimits.maxShortTextLength), { maxItems: InputLimits.maxHints }))),
  container: Type.Optional(
    nullable(
      Type.Object({
        image: Type.Optional(nullableString({ maxLength: InputLimits.maxImageNameLength })),
        memoryLimit: within(InstanceLimits.minMemoryMb, InstanceLimits.maxMemoryMb),
        cpuCount: within(InstanceLimits.minCpuTenths, InstanceLimits.maxCpuTenths),
        storageLimit: within(0, InstanceLimits.maxStorageMb),
        exposePort: within(InstanceLimits.minPort, InstanceLimits.maxPort),
        networkMode: Type.Optional(nullableString({ maxLength: InputLimits.maxWordLength })),
        fileName: Type.Optional(nullableString({ maxLength: InputLimits.maxFileNameLength })),
      }),
    ),
  ),
  /** List of all containers of the challenge. For the first container, `container` and `enableTrafficCapture` take precedence. */
  containers: Type.Optional(nullable(Challenge.properties.containers)),
})
export type PackageChallenge = Static<typeof PackageChallenge>

export type PackageFlag = Readonly<{ value: string; attachment?: PackageAttachment | null; points?: number | null }>
