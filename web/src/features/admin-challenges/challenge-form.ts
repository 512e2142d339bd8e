import type { ChallengeCategory, ChallengeEdit, ChallengeType, ChallengeUpdate } from '@capstan/contract/challenges'
import { InputLimits, InstanceLimits } from '@capstan/contract/limits'
import { isBetween, isWhole } from '../../components/editing/number-field.tsx'
import { browserRandom, previewTemplate } from './flag-template.ts'

/** What of a challenge is edited and saved together. Numbers are text, as typed. */
export type ChallengeForm = Readonly<{
  title: string
  category: ChallengeCategory
  content: string
  hints: readonly string[]
  flagTemplate: string
  fileName: string
  containerImage: string
  containerExposePort: string
  /** Tenths of a core. */
  cpuCount: string
  /** MB. */
  memoryLimit: string
  /** MB. */
  storageLimit: string
  enableTrafficCapture: boolean
  originalScore: string
  /** Percent of the original score. */
  minScorePercent: string
  difficulty: string
}>

/** The names of all fields. */
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

/** Each team runs its own container, or all read the same file. */
export function hasContainer(type: ChallengeType): boolean {
  return type === 'StaticContainer' || type === 'DynamicContainer'
}

/** Right answers are a list; DynamicContainer makes one for each team. */
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

/** The changed fields alone: what nobody touched here stays as others left it. */
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

/** What keeps the form from being saved, by field; bounds of contract ChallengeUpdate. Fields that a type does not have are ignored. */
export function challengeFaultsOf(
  form: ChallengeForm,
  type: ChallengeType,
): Partial<Record<keyof ChallengeForm, ChallengeFault>> {
  const faults: Partial<Record<keyof ChallengeForm, ChallengeFault | undefined>> = {
    title: form.title.trim() === '' ? 'titleMissing' : undefined,
    originalScore: isWhole(form.originalScore, 0, InputLimits.scoreMax) ? undefined : 'score',
    minScorePercent: isBetween(form.minScorePercent, 0, 100) ? undefined : 'percent',
    difficulty: isBetween(form.difficulty, Number.MIN_VALUE, InputLimits.difficultyMax) ? undefined : 'difficulty',
    ...(type === 'DynamicAttachment' && { fileName: form.fileName.trim() === '' ? 'fileName' : undefined }),
    ...(type === 'DynamicContainer' && { flagTemplate: previewTemplate(form.flagTemplate, browserRandom).fault }),
    ...(hasContainer(type) && {
      containerExposePort: isWhole(form.containerExposePort, InstanceLimits.portMin, InstanceLimits.portMax) ? undefined : 'port',
      cpuCount: isWhole(form.cpuCount, InstanceLimits.cpuTenthsMin, InstanceLimits.cpuTenthsMax) ? undefined : 'cpu',
      memoryLimit: isWhole(form.memoryLimit, InstanceLimits.memoryMbMin, InstanceLimits.memoryMbMax) ? undefined : 'memory',
      storageLimit: isWhole(form.storageLimit, InstanceLimits.storageMbMin, InstanceLimits.storageMbMax) ? undefined : 'storage',
    }),
  }
  return Object.fromEntries(Object.entries(faults).filter(([, fault]) => fault !== undefined))
}
