import type { PostSummary } from '@capstan/contract/posts'
import { Pin } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Avatar } from '../../components/ui/avatar.tsx'
import { Badge } from '../../components/ui/badge.tsx'
import { cx } from '../../components/ui/cx.ts'
import { RelativeTime } from '../../components/ui/time.tsx'
import { paths } from '../../lib/paths.ts'
import styles from './posts.module.css'

export function Byline({ post }: { readonly post: PostSummary }) {
  const { t } = useTranslation('posts')
  return (
    <span className="inline gap-2 muted small">
      {post.authorName && (
        <>
          <Avatar name={post.authorName} src={post.authorAvatar} size={22} />
          <bdi>{post.authorName}</bdi>
          <span aria-hidden>·</span>
        </>
      )}
      <span className="visually-hidden">{t('edited')} </span>
      <RelativeTime at={post.time} />
    </span>
  )
}

/** Mark of a pinned post, and the tags of the post. Each tag links to all posts with this tag. */
export function PostMarks({ post }: { readonly post: PostSummary }) {
  const { t } = useTranslation('posts')
  const tags = post.tags ?? []
  if (!post.isPinned && tags.length === 0) return null
  return (
    <span className="row gap-2">
      {post.isPinned && (
        <Badge tone="brand">
          <Pin aria-hidden />
          {t('pinned')}
        </Badge>
      )}
      {tags.map((tag) => (
        <Link key={tag} to={paths.posts.to(tag)} className={cx('inline muted tiny medium', styles.tag)}>
          {tag}
        </Link>
      ))}
    </span>
  )
}
