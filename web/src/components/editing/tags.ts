import { normalizeTags } from '@capstan/contract/tags'

export type TagLimits = Readonly<{
  most: number
  longest: number
}>

/**
 * Returns the existing tags plus the entered tags. Trims each tag, removes a leading #, and drops duplicates regardless of case.
 */
export function mergeTags(tags: readonly string[], typed: string, { most, longest }: TagLimits): string[] {
  const words = typed.split(/[,;\p{Cc}]/u).map((word) => [...word.trim().replace(/^#+\s*/, '')].slice(0, longest).join(''))
  return normalizeTags([...tags, ...words]).slice(0, most)
}
