import type { PostDetail, PostSummary } from '@capstan/contract/posts'
import { avatarUrl } from '../files/asset-url.ts'
import type { PostWithAuthor } from './repository.ts'

export const presentPostSummary = (post: PostWithAuthor): PostSummary => ({
  id: post.id,
  title: post.title,
  summary: post.summary,
  isPinned: post.isPinned,
  tags: post.tags,
  authorAvatar: avatarUrl(post.authorAvatarHash),
  authorName: post.authorName,
  time: post.updatedAt.toISOString(),
})

export const presentPost = (post: PostWithAuthor): PostDetail => ({ ...presentPostSummary(post), content: post.content })
