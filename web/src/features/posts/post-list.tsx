import type { PostSummary } from '@capstan/contract/posts'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { GeneratedPoster } from '../../components/poster.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Skeleton, SkeletonLines } from '../../components/ui/skeleton.tsx'
import { formatNumber } from '../../lib/format.ts'
import { paths } from '../../lib/paths.ts'
import { PostMenu } from './lazy-post-menu.tsx'
import { Byline, PostMarks } from './post-facts.tsx'
import styles from './posts.module.css'
import type { TagCount } from './tags.ts'

type PostListProps = Readonly<{
  posts: readonly PostSummary[]
  canEdit: boolean
}>

/** Posts in the order of the server: pinned first, then newest. The entire card is a link. */
export function PostList({ posts, canEdit }: PostListProps) {
  return (
    <ul className="stack gap-3">
      {posts.map((post) => (
        <li key={post.id} className={cx('stack gap-2 frame clickable', styles.card, post.isPinned && styles.pinned)}>
          <span className={styles.picture}>
            <GeneratedPoster title={post.title} />
          </span>
          <div className="line gap-3 row-between">
            <h2 className="wrap-anywhere">
              <Link to={paths.post.to(post.id)} className="cover">
                {post.title}
              </Link>
            </h2>
            {canEdit && (
              <span className={styles.above}>
                <PostMenu post={post} />
              </span>
            )}
          </div>
          {post.summary && <p className={cx('muted wrap-anywhere bidi', styles.summary)}>{post.summary}</p>}
          <div className="row row-between">
            <Byline post={post} />
            <PostMarks post={post} />
          </div>
        </li>
      ))}
    </ul>
  )
}

type TagFilterProps = Readonly<{
  tags: readonly TagCount[]
  chosen: string | null
  total: number
}>

export function PostTagFilter({ tags, chosen, total }: TagFilterProps) {
  const { t } = useTranslation('posts')
  if (tags.length === 0) return null
  const link = (tag: string | undefined, name: string, count: number) => (
    <Link
      key={tag ?? ''}
      to={paths.posts.to(tag)}
      replace
      preventScrollReset
      className={cx('inline gap-1 muted small medium', styles.tag, styles.filter)}
      aria-current={(tag ?? null) === chosen ? 'true' : undefined}
    >
      {name} <span className="number">{formatNumber(count)}</span>
    </Link>
  )
  return (
    <nav aria-label={t('tags')} className={cx('row gap-2 below-6', styles.filters)}>
      {link(undefined, t('allTags'), total)}
      {tags.map(({ tag, count }) => link(tag, tag, count))}
    </nav>
  )
}

export function PostsSkeleton() {
  const { t } = useTranslation()
  return (
    <div className="stack gap-3" role="status" aria-label={t('loading')}>
      {[1, 2, 3].map((index) => (
        <div key={index} className={cx('stack gap-2 frame', styles.card)}>
          <Skeleton width="45%" height="22px" />
          <SkeletonLines count={2} />
          <Skeleton width="160px" height="18px" />
        </div>
      ))}
    </div>
  )
}
