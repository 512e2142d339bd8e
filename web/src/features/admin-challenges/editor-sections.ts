import { hasContainer } from '@capstan/contract/challenge-types'
import type { ChallengeType } from '@capstan/contract/challenges'
import type { ChallengeForm } from './challenge-form.ts'

/** Sections in display order. */
const all = ['about', 'hints', 'flags', 'files', 'container', 'score', 'rules', 'upkeep'] as const

export type SectionName = (typeof all)[number]

/** Returns the editor sections of a challenge type. The section `flags` also contains the files of the teams. */
export function listEditorSections(type: ChallengeType): readonly [SectionName, ...SectionName[]] {
  const has = (name: SectionName) =>
    name === 'container' ? hasContainer(type) : name === 'files' ? type !== 'DynamicAttachment' : true
  return ['about', ...all.slice(1).filter(has)]
}

const sectionOf: Readonly<Record<keyof ChallengeForm, SectionName>> = {
  title: 'about',
  category: 'about',
  description: 'about',
  tags: 'about',
  difficulty: 'about',
  hints: 'hints',
  template: 'flags',
  attachmentName: 'flags',
  containers: 'container',
  points: 'score',
  minimumPercent: 'score',
  decay: 'score',
  release: 'rules',
  deadline: 'rules',
  submissionLimit: 'rules',
  cooldownSeconds: 'rules',
  curve: 'score',
  isValueFixed: 'score',
  bloods: 'score',
  unlock: 'rules',
}

/** Form fields that can show an error of the server. The field `containers` is excluded, because the browser checks it. */
export const refusableFields = (Object.keys(sectionOf) as (keyof ChallengeForm)[]).filter((field) => field !== 'containers')

/** Returns the sections that contain these fields. */
export function listSectionsWithFields(fields: readonly (keyof ChallengeForm)[]): ReadonlySet<SectionName> {
  return new Set(fields.map((field) => sectionOf[field]))
}
