import type { PostSummary } from '@capstan/contract/posts'

export type TagCount = Readonly<{
  tag: string
  count: number
}>

export function countTags(posts: readonly Pick<PostSummary, 'tags'>[]): readonly TagCount[] {
  const counts = new Map<string, number>()
  for (const tag of posts.flatMap(({ tags }) => tags ?? [])) counts.set(tag, (counts.get(tag) ?? 0) + 1)
  return [...counts]
    .map(([tag, count]) => ({ tag, count }))
    .sort((one, other) => other.count - one.count || one.tag.localeCompare(other.tag))
}

export function filterPostsByTag<Post extends Pick<PostSummary, 'tags'>>(
  posts: readonly Post[],
  tag: string | null,
): readonly Post[] {
  return tag === null ? posts : posts.filter(({ tags }) => tags?.includes(tag))
}
