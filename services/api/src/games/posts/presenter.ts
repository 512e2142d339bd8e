import { pathOfPicture } from '@capstan/contract/asset-address'
import type { PostDetail, PostSummary } from '@capstan/contract/posts'
import type { ListedPost, PostWithAuthor } from './repository.ts'

export function presentPostSummary(post: ListedPost): PostSummary {
  return {
    id: post.id,
    title: post.title,
    summary: post.summary,
    isPinned: post.isPinned,
    tags: post.tags,
    authorAvatar: pathOfPicture(post.authorAvatarHash, 'avatar'),
    authorName: post.authorName,
    time: post.updatedAt.toISOString(),
  }
}

export function presentPost(post: PostWithAuthor): PostDetail {
  return { ...presentPostSummary(post), content: post.content }
}
