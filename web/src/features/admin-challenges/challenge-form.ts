import type { Challenge, FullChallenge } from '@capstan/contract/challenge'
import type { Difficulty } from '@capstan/contract/challenge-labels'
import { containerOf, withContainer } from '@capstan/contract/challenge-parts'
import { hasContainer } from '@capstan/contract/challenge-types'
import type { ChallengeCategory, ChallengeType } from '@capstan/contract/challenges'
import type { Hint } from '@capstan/contract/hints'
import { InputLimits, InstanceLimits, Limits } from '@capstan/contract/limits'
import { type ChallengeReach, canBeGuarded } from '@capstan/contract/reach'
import type { CurveName, ScoreCurve } from '@capstan/contract/score'
import { normalizeTags } from '@capstan/contract/tags'
import { type LockedView, plainUnlockRule, type UnlockRule } from '@capstan/contract/unlock'
import { isBetween, isIntegerBetween } from '../../components/editing/number-field.tsx'
import { browserRandom, previewTemplate } from './flag-template.ts'

export type TypedHint = Readonly<{
  text: string
  /** Points that a team pays; 0 for a free hint. */
  price: string
}>

export function isHintPrice(price: string): boolean {
  return isIntegerBetween(price, 0, InputLimits.maxScore)
}

/** Returns the hints with a text, as they are stored. */
export function toStoredHints(hints: readonly TypedHint[]): Hint[] {
  return hints.map(({ text, price }) => ({ text: text.trim(), price: Number(price) })).filter(({ text }) => text !== '')
}

/** Condition under which the challenge opens, as typed. Empty texts mean no number. */
export type TypedUnlock = Readonly<{
  after: readonly number[]
  count: string
  points: string
  locked: LockedView
}>

function typedUnlockOf(rule: UnlockRule | null): TypedUnlock {
  const textOf = (value: number | null | undefined) => (value == null ? '' : String(value))
  return { after: rule?.after ?? [], count: textOf(rule?.count), points: textOf(rule?.points), locked: rule?.locked ?? 'Shown' }
}

function unlockRuleOf({ after, count, points, locked }: TypedUnlock): UnlockRule | null {
  const numberOf = (text: string) => (text.trim() === '' ? null : Number(text))
  return plainUnlockRule({
    after: [...after],
    count: after.length > 0 ? numberOf(count) : null,
    points: numberOf(points),
    locked,
  })
}

function isUnlock({ after, count, points }: TypedUnlock): boolean {
  const isCount = count.trim() === '' || after.length === 0 || isIntegerBetween(count, 1, after.length)
  return isCount && (points.trim() === '' || isIntegerBetween(points, 1, InputLimits.maxScore))
}

/** Fields of a challenge that one save sends. Numbers are text as typed. */
export type ChallengeForm = Readonly<{
  title: string
  category: ChallengeCategory
  description: string
  tags: readonly string[]
  difficulty: Difficulty | null
  hints: readonly TypedHint[]
  template: string
  attachmentName: string
  image: string
  port: string
  /** CPU limit, in tenths of a core. */
  cpuTenths: string
  memoryMb: string
  storageMb: string
  capture: boolean
  reach: ChallengeReach
  points: string
  /** Minimum score, in percent of the maximum points. */
  minimumPercent: string
  decay: string
  /** ISO instants, or empty. */
  release: string
  deadline: string
  /** Maximum number of submissions per team. 0 means no limit. */
  submissionLimit: string
  cooldownSeconds: string
  curve: CurveName
  isValueFixed: boolean
  bloods: boolean
  unlock: TypedUnlock
}>

/** Returns the curve as typed. Fields with a fault count as their lowest value. */
export function curveOf({ curve, points, minimumPercent, decay }: ChallengeForm): ScoreCurve {
  return {
    curve,
    originalScore: Number(points) || 0,
    minScoreRate: Number(minimumPercent) / 100 || 0,
    difficulty: Number(decay) || 1,
  }
}

/** Fields that affect the container of a test instance. */
export const containerFields = ['image', 'port', 'cpuTenths', 'memoryMb', 'storageMb', 'reach'] as const

function isoOf(ms: number | null): string {
  return ms === null ? '' : new Date(ms).toISOString()
}

export function challengeFormOf({ challenge }: Pick<FullChallenge, 'challenge'>): ChallengeForm {
  const container = containerOf(challenge)
  return {
    title: challenge.title,
    category: challenge.category,
    description: challenge.description,
    tags: challenge.tags,
    difficulty: challenge.difficulty,
    hints: challenge.hints.map(({ text, price }) => ({ text, price: String(price) })),
    template: challenge.template,
    attachmentName: challenge.attachmentName,
    image: container.image,
    port: String(container.port),
    cpuTenths: String(container.cpuTenths),
    memoryMb: String(container.memoryMb),
    storageMb: String(container.storageMb),
    capture: container.capture,
    reach: { isGuarded: false, ...container.reach },
    points: String(challenge.points),
    minimumPercent: String(Math.round(challenge.minimumShare * 10_000) / 100),
    decay: String(challenge.decay),
    release: isoOf(challenge.release),
    deadline: isoOf(challenge.deadline),
    submissionLimit: String(challenge.submissionLimit),
    cooldownSeconds: String(challenge.cooldownSeconds),
    curve: challenge.curve,
    isValueFixed: challenge.isValueFixed,
    bloods: challenge.bloods,
    unlock: typedUnlockOf(challenge.unlock),
  }
}

/** Normalizes the reach. Raw bytes are an option of HTTP. A key requires that the gateway parses HTTP. */
export function normalizeReach(reach: ChallengeReach): ChallengeReach {
  const fit = { ...reach, isRaw: reach.speaks === 'http' && reach.isRaw }
  return { ...fit, isGuarded: fit.isGuarded === true && canBeGuarded(fit) }
}

/** Applies the changed fields to a challenge. All other fields retain the changes of other users. */
export function withFormChanges(challenge: Challenge, changes: Partial<ChallengeForm>): Challenge {
  const form = { ...challengeFormOf({ challenge }), ...changes }
  const written = {
    ...challenge,
    title: form.title.trim(),
    category: form.category,
    description: form.description,
    tags: normalizeTags(form.tags),
    difficulty: form.difficulty,
    hints: changes.hints ? toStoredHints(changes.hints) : challenge.hints,
    template: form.template,
    attachmentName: form.attachmentName,
    points: Number(form.points),
    minimumShare: changes.minimumPercent === undefined ? challenge.minimumShare : Number(form.minimumPercent) / 100,
    decay: Number(form.decay),
    release: form.release === '' ? null : Date.parse(form.release),
    deadline: form.deadline === '' ? null : Date.parse(form.deadline),
    submissionLimit: Number(form.submissionLimit),
    cooldownSeconds: Number(form.cooldownSeconds),
    curve: form.curve,
    isValueFixed: form.isValueFixed,
    bloods: form.bloods,
    unlock: unlockRuleOf(form.unlock),
  }
  return withContainer(written, {
    image: form.image,
    port: Number(form.port),
    cpuTenths: Number(form.cpuTenths),
    memoryMb: Number(form.memoryMb),
    storageMb: Number(form.storageMb),
    capture: form.capture,
    ...(changes.reach && { reach: changes.reach }),
  })
}

export type ChallengeFault =
  | 'titleMissing'
  | 'fileName'
  | 'templateLong'
  | 'templateWeak'
  | 'port'
  | 'cpu'
  | 'memory'
  | 'storage'
  | 'score'
  | 'percent'
  | 'difficulty'
  | 'attempts'
  | 'deadline'
  | 'price'
  | 'cooldown'
  | 'unlock'

/**
 * Returns the invalid fields with their errors, by the limits of contract Challenge. It ignores fields that the type does not
 * have.
 */
export function challengeFaultsOf(
  form: ChallengeForm,
  type: ChallengeType,
): Partial<Record<keyof ChallengeForm, ChallengeFault>> {
  const faults: Partial<Record<keyof ChallengeForm, ChallengeFault | undefined>> = {
    title: form.title.trim() === '' ? 'titleMissing' : undefined,
    points: isIntegerBetween(form.points, 0, InputLimits.maxScore) ? undefined : 'score',
    minimumPercent: isBetween(form.minimumPercent, 0, 100) ? undefined : 'percent',
    decay: isBetween(form.decay, Number.MIN_VALUE, InputLimits.maxDifficulty) ? undefined : 'difficulty',
    deadline: form.deadline !== '' && form.deadline <= form.release ? 'deadline' : undefined,
    hints: form.hints.every(({ price }) => isHintPrice(price)) ? undefined : 'price',
    submissionLimit: isIntegerBetween(form.submissionLimit, 0, Limits.maxSubmissionLimit) ? undefined : 'attempts',
    unlock: isUnlock(form.unlock) ? undefined : 'unlock',
    cooldownSeconds: isIntegerBetween(form.cooldownSeconds, 0, Limits.maxCooldownSeconds) ? undefined : 'cooldown',
    ...(type === 'DynamicAttachment' && { attachmentName: form.attachmentName.trim() === '' ? 'fileName' : undefined }),
    ...(type === 'DynamicContainer' && { template: previewTemplate(form.template, browserRandom).fault }),
    ...(hasContainer(type) && {
      port: isIntegerBetween(form.port, InstanceLimits.minPort, InstanceLimits.maxPort) ? undefined : 'port',
      cpuTenths: isIntegerBetween(form.cpuTenths, InstanceLimits.minCpuTenths, InstanceLimits.maxCpuTenths) ? undefined : 'cpu',
      memoryMb: isIntegerBetween(form.memoryMb, InstanceLimits.minMemoryMb, InstanceLimits.maxMemoryMb) ? undefined : 'memory',
      storageMb: isIntegerBetween(form.storageMb, InstanceLimits.minStorageMb, InstanceLimits.maxStorageMb)
        ? undefined
        : 'storage',
    }),
  }
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined))
}
