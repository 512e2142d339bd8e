import type { ChallengeCategory, ChallengeEdit, ChallengeType, ChallengeUpdate } from '@capstan/contract/challenges'
import { InputLimits, InstanceLimits } from '@capstan/contract/limits'
import { isBetween, isWholeNumber } from '../../components/editing/number-field.tsx'
import { browserRandom, previewTemplate } from './flag-template.ts'

/** Fields of a challenge that are saved together. Numbers are text as typed. */
export type ChallengeForm = Readonly<{
  title: string
  category: ChallengeCategory
  content: string
  hints: readonly string[]
  flagTemplate: string
  fileName: string
  containerImage: string
  containerExposePort: string
  /** CPU limit, in tenths of a core. */
  cpuCount: string
  /** Memory limit, in MB. */
  memoryLimit: string
  /** Storage limit, in MB. */
  storageLimit: string
  enableTrafficCapture: boolean
  originalScore: string
  /** Minimum score, in percent of the original. */
  minScorePercent: string
  difficulty: string
}>

/** Names of all fields. */
export const formFields = [
  'title',
  'category',
  'content',
  'hints',
  'flagTemplate',
  'fileName',
  'containerImage',
  'containerExposePort',
  'cpuCount',
  'memoryLimit',
  'storageLimit',
  'enableTrafficCapture',
  'originalScore',
  'minScorePercent',
  'difficulty',
] as const satisfies readonly (keyof ChallengeForm)[]

/** True if each team runs a container. */
export function hasContainer(type: ChallengeType): boolean {
  return type === 'StaticContainer' || type === 'DynamicContainer'
}

/** True if the answers are a list. DynamicContainer generates a flag for each team. */
export function hasFlagList(type: ChallengeType): boolean {
  return type !== 'DynamicContainer'
}

export function challengeFormOf(challenge: ChallengeEdit): ChallengeForm {
  return {
    title: challenge.title,
    category: challenge.category,
    content: challenge.content,
    hints: challenge.hints,
    flagTemplate: challenge.flagTemplate ?? '',
    fileName: challenge.fileName ?? '',
    containerImage: challenge.containerImage,
    containerExposePort: String(challenge.containerExposePort),
    cpuCount: String(challenge.cpuCount),
    memoryLimit: String(challenge.memoryLimit),
    storageLimit: String(challenge.storageLimit),
    enableTrafficCapture: challenge.enableTrafficCapture ?? false,
    originalScore: String(challenge.originalScore),
    minScorePercent: String(Math.round(challenge.minScoreRate * 10_000) / 100),
    difficulty: String(challenge.difficulty),
  }
}

const numeric = ['containerExposePort', 'cpuCount', 'memoryLimit', 'storageLimit', 'originalScore', 'difficulty'] as const

/** Returns only the changed fields, so that other users' changes remain. */
export function challengeUpdateOf(changes: Partial<ChallengeForm>): ChallengeUpdate {
  const { hints, minScorePercent, title, ...rest } = changes
  const numbers = numeric.flatMap((field) => (changes[field] === undefined ? [] : [[field, Number(changes[field])] as const]))
  return {
    ...(rest as Omit<typeof rest, (typeof numeric)[number]>),
    ...Object.fromEntries(numbers),
    ...(title !== undefined && { title: title.trim() }),
    ...(hints && { hints: hints.map((hint) => hint.trim()).filter((hint) => hint !== '') }),
    ...(minScorePercent !== undefined && { minScoreRate: Number(minScorePercent) / 100 }),
  }
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

/** Returns the faults by field, with the bounds of contract ChallengeUpdate. Fields that the type lacks are ignored. */
export function challengeFaultsOf(
  form: ChallengeForm,
  type: ChallengeType,
): Partial<Record<keyof ChallengeForm, ChallengeFault>> {
  const faults: Partial<Record<keyof ChallengeForm, ChallengeFault | undefined>> = {
    title: form.title.trim() === '' ? 'titleMissing' : undefined,
    originalScore: isWholeNumber(form.originalScore, 0, InputLimits.scoreMax) ? undefined : 'score',
    minScorePercent: isBetween(form.minScorePercent, 0, 100) ? undefined : 'percent',
    difficulty: isBetween(form.difficulty, Number.MIN_VALUE, InputLimits.difficultyMax) ? undefined : 'difficulty',
    ...(type === 'DynamicAttachment' && { fileName: form.fileName.trim() === '' ? 'fileName' : undefined }),
    ...(type === 'DynamicContainer' && { flagTemplate: previewTemplate(form.flagTemplate, browserRandom).fault }),
    ...(hasContainer(type) && {
      containerExposePort: isWholeNumber(form.containerExposePort, InstanceLimits.portMin, InstanceLimits.portMax)
        ? undefined
        : 'port',
      cpuCount: isWholeNumber(form.cpuCount, InstanceLimits.cpuTenthsMin, InstanceLimits.cpuTenthsMax) ? undefined : 'cpu',
      memoryLimit: isWholeNumber(form.memoryLimit, InstanceLimits.memoryMbMin, InstanceLimits.memoryMbMax) ? undefined : 'memory',
      storageLimit: isWholeNumber(form.storageLimit, InstanceLimits.storageMbMin, InstanceLimits.storageMbMax)
        ? undefined
        : 'storage',
    }),
  }
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined))
}
