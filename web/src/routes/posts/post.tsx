import { operations } from '@capstan/contract/operations'
import type { PostDetail } from '@capstan/contract/posts'
import { hasRole } from '@capstan/contract/roles'
import { Pencil } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { Link, useNavigate, useParams } from 'react-router'
import { PageSkeleton } from '../../components/layout/access.tsx'
import { NotFoundPage } from '../../components/layout/not-found.tsx'
import { PageLayout } from '../../components/layout/page.tsx'
import { ButtonLink } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Markdown } from '../../components/ui/markdown.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { PostMenu } from '../../features/posts/lazy-post-menu.tsx'
import { Byline, PostMarks } from '../../features/posts/post-facts.tsx'
import styles from '../../features/posts/posts.module.css'
import { ApiError } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'

export function Route() {
  const { t } = useTranslation('posts')
  const { postId = '' } = useParams()
  const { data: post, error, mutate } = useCall(operations.getPost, { params: { id: postId } })
  if (error instanceof ApiError && error.httpStatus === 404) return <NotFoundPage />
  if (post) return <Post post={post} />
  if (!error) return <PageSkeleton />
  return (
    <PageLayout title={t('title')} width="narrow">
      <ErrorState error={error} onRetry={() => mutate()} />
    </PageLayout>
  )
}

function Post({ post }: { readonly post: PostDetail }) {
  const { t } = useTranslation('posts')
  const { role } = useSession()
  const navigate = useNavigate()
  return (
    <PageLayout
      title={post.title}
      width="narrow"
      description={
        <span className="row">
          <Byline post={post} />
          <PostMarks post={post} />
        </span>
      }
      actions={
        hasRole(role, 'Admin') && (
          <>
            <ButtonLink to={paths.postEdit.to(post.id)}>
              <Pencil aria-hidden />
              {t('action.edit')}
            </ButtonLink>
            <PostMenu post={post} onDeleted={() => void navigate(paths.posts.to(), { replace: true })} />
          </>
        )
      }
    >
      <article>
        {post.summary && <p className={cx('bidi muted size-16 below-6', styles.lead)}>{post.summary}</p>}
        {post.content.trim() === '' ? <p className="muted">{t('noContent')}</p> : <Markdown source={post.content} />}
      </article>
      <Link to={paths.posts.to()} className="alone above-6">
        {t('all')}
      </Link>
    </PageLayout>
  )
}
