import type { Challenge, FullChallenge } from '@capstan/contract/challenge'
import type { Difficulty } from '@capstan/contract/challenge-labels'
import { hasContainer } from '@capstan/contract/challenge-types'
import type { ChallengeCategory, ChallengeType } from '@capstan/contract/challenges'
import { allChoices, type ContainerChoices } from '@capstan/contract/container-definition'
import type { Hint } from '@capstan/contract/hints'
import { InputLimits, Limits } from '@capstan/contract/limits'
import type { CurveName, ScoreCurve } from '@capstan/contract/score'
import { normalizeTags } from '@capstan/contract/tags'
import { type LockedView, normalizeUnlockRule, type UnlockRule } from '@capstan/contract/unlock'
import { isIntegerTextBetween, isNumberTextBetween } from '../../components/editing/number-field.tsx'
import { type FormFaults, findFaultsOfContainers } from './container-faults.ts'
import { type TypedContainer, toChallengeContainers, toTypedContainers } from './containers-form.ts'
import { browserRandom, previewFlagTemplate } from './flag-template.ts'

export type TypedHint = Readonly<{
  text: string
  /** Price of the hint, in points. 0 for a free hint. */
  price: string
}>

export function isValidHintPrice(price: string): boolean {
  return isIntegerTextBetween(price, 0, InputLimits.maxScore)
}

/** Returns the hints that have a text, in the format of the API. */
export function toStoredHints(hints: readonly TypedHint[]): Hint[] {
  return hints.map(({ text, price }) => ({ text: text.trim(), price: Number(price) })).filter(({ text }) => text !== '')
}

/**
 * Unlock condition of the challenge, as entered in the form. A number field is empty if the condition does not require this
 * number.
 */
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
  return normalizeUnlockRule({
    after: [...after],
    count: after.length > 0 ? numberOf(count) : null,
    points: numberOf(points),
    locked,
  })
}

function isUnlock({ after, count, points }: TypedUnlock): boolean {
  const isCount = count.trim() === '' || after.length === 0 || isIntegerTextBetween(count, 1, after.length)
  return isCount && (points.trim() === '' || isIntegerTextBetween(points, 1, InputLimits.maxScore))
}

/** Fields of a challenge that are saved together. Numbers are text that the user entered. */
export type ChallengeForm = Readonly<{
  title: string
  category: ChallengeCategory
  description: string
  tags: readonly string[]
  difficulty: Difficulty | null
  hints: readonly TypedHint[]
  template: string
  attachmentName: string
  /** Containers of the challenge. Players connect to the first one. */
  containers: readonly TypedContainer[]
  points: string
  /** Lowest value of the challenge, in percent of its initial points. */
  minimumPercent: string
  decay: string
  /** Release time and deadline in ISO format. Empty if not set. */
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

/** Returns the score curve as entered in the form. Text that is not a number becomes the lowest allowed value. */
export function toScoreCurve({ curve, points, minimumPercent, decay }: ChallengeForm): ScoreCurve {
  return {
    curve,
    points: Number(points) || 0,
    minimumShare: Number(minimumPercent) / 100 || 0,
    decay: Number(decay) || 1,
  }
}

function isoOf(ms: number | null): string {
  return ms === null ? '' : new Date(ms).toISOString()
}

export function toChallengeForm({ challenge }: Pick<FullChallenge, 'challenge'>): ChallengeForm {
  return {
    title: challenge.title,
    category: challenge.category,
    description: challenge.description,
    tags: challenge.tags,
    difficulty: challenge.difficulty,
    hints: challenge.hints.map(({ text, price }) => ({ text, price: String(price) })),
    template: challenge.template,
    attachmentName: challenge.attachmentName,
    containers: toTypedContainers(challenge),
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

/** Applies the changed fields to a challenge. All other fields retain the changes of other users. */
export function applyFormChanges(
  challenge: Challenge,
  changes: Partial<ChallengeForm>,
  choices: ContainerChoices = allChoices,
): Challenge {
  const form = { ...toChallengeForm({ challenge }), ...changes }
  return {
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
    containers: changes.containers ? toChallengeContainers(changes.containers, choices) : challenge.containers,
  }
}

export type ChallengeFault =
  | 'titleMissing'
  | 'fileName'
  | 'templateLong'
  | 'templateWeak'
  | 'score'
  | 'percent'
  | 'decay'
  | 'attempts'
  | 'deadline'
  | 'price'
  | 'cooldown'
  | 'unlock'

/**
 * Returns the invalid fields of a challenge of this type, with their errors. The contract defines the limits in `Challenge`.
 * `findContainerFaults` checks the containers.
 */
export function findChallengeFaults(
  form: ChallengeForm,
  type: ChallengeType,
): Partial<Record<keyof ChallengeForm, ChallengeFault>> {
  const faults: Partial<Record<keyof ChallengeForm, ChallengeFault | undefined>> = {
    title: form.title.trim() === '' ? 'titleMissing' : undefined,
    points: isIntegerTextBetween(form.points, 0, InputLimits.maxScore) ? undefined : 'score',
    minimumPercent: isNumberTextBetween(form.minimumPercent, 0, 100) ? undefined : 'percent',
    decay: isNumberTextBetween(form.decay, Number.MIN_VALUE, InputLimits.maxDecay) ? undefined : 'decay',
    deadline: form.deadline !== '' && form.deadline <= form.release ? 'deadline' : undefined,
    hints: form.hints.every(({ price }) => isValidHintPrice(price)) ? undefined : 'price',
    submissionLimit: isIntegerTextBetween(form.submissionLimit, 0, Limits.maxSubmissionLimit) ? undefined : 'attempts',
    unlock: isUnlock(form.unlock) ? undefined : 'unlock',
    cooldownSeconds: isIntegerTextBetween(form.cooldownSeconds, 0, Limits.maxCooldownSeconds) ? undefined : 'cooldown',
    ...(type === 'DynamicAttachment' && { attachmentName: form.attachmentName.trim() === '' ? 'fileName' : undefined }),
    ...(type === 'DynamicContainer' && { template: previewFlagTemplate(form.template, browserRandom).fault }),
  }
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined))
}

/** Returns the invalid fields of each container. The list is empty for a challenge type without containers. */
export function findContainerFaults(
  form: ChallengeForm,
  { challenge, choices }: Pick<FullChallenge, 'challenge' | 'choices'>,
): readonly FormFaults[] {
  return hasContainer(challenge.type) ? findFaultsOfContainers(form.containers, challenge.containers, choices) : []
}
