import { operations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { useParams } from 'react-router'
import { PageSkeleton, RoleGate } from '../../components/layout/access.tsx'
import { NotFoundPage } from '../../components/layout/not-found.tsx'
import { PageLayout } from '../../components/layout/page.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { PostEditor } from '../../features/posts/post-editor.tsx'
import { countTags } from '../../features/posts/tags.ts'
import { ApiError } from '../../lib/http.ts'
import { useCall } from '../../lib/server-state.ts'

const newPost = 'new'

export function Route() {
  return (
    <RoleGate atLeast="Admin">
      <Editor />
    </RoleGate>
  )
}

function Editor() {
  const { t } = useTranslation('posts')
  const { postId = newPost } = useParams()
  const isNew = postId.toLowerCase() === newPost
  const { data: post, error, mutate } = useCall(operations.getPost, isNew ? null : { params: { id: postId } })
  const { data: posts } = useCall(operations.listPosts)
  const knownTags = countTags(posts ?? []).map(({ tag }) => tag)
  if (error instanceof ApiError && error.httpStatus === 404) return <NotFoundPage />
  if (!isNew && !post && !error) return <PageSkeleton />
  return (
    <PageLayout title={t(isNew ? 'new' : 'edit')}>
      {isNew && <PostEditor key={newPost} knownTags={knownTags} />}
      {post && <PostEditor key={post.id} post={post} knownTags={knownTags} />}
      {!isNew && !post && <ErrorState error={error} onRetry={() => mutate()} />}
    </PageLayout>
  )
}
