import { tidyTags } from '@capstan/contract/tags'

export type TagLimits = Readonly<{
  most: number
  /** Of each, in characters. */
  longest: number
}>

/** The tags with what was typed added: one or a list, trimmed, a leading # dropped, none twice whatever the letter case. */
export function withTags(tags: readonly string[], typed: string, { most, longest }: TagLimits): string[] {
  // What a list separates, and what no tag may hold.
  const words = typed.split(/[,;\p{Cc}]/u).map((word) => [...word.trim().replace(/^#+\s*/, '')].slice(0, longest).join(''))
  return tidyTags([...tags, ...words]).slice(0, most)
}
