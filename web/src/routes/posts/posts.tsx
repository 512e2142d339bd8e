import { operations, ownOperations } from '@capstan/contract/operations'
import { hasRole } from '@capstan/contract/roles'
import { Newspaper, Plus, Rss, Tags } from 'lucide-react'
import { useTranslation } from 'react-i18next'
import { useSearchParams } from 'react-router'
import { PageLayout } from '../../components/layout/page.tsx'
import { ButtonAnchor, ButtonLink } from '../../components/ui/button.tsx'
import { EmptyState, ErrorState } from '../../components/ui/states.tsx'
import { PostList, PostsSkeleton, PostTagFilter } from '../../features/posts/post-list.tsx'
import { countTags, filterPostsByTag } from '../../features/posts/tags.ts'
import { addressOfCall } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { useCall } from '../../lib/server-state.ts'
import { useSession } from '../../lib/session.ts'

export function Route() {
  const { t } = useTranslation('posts')
  const { role } = useSession()
  const canEdit = hasRole(role, 'Admin')
  const write = (
    <ButtonLink variant="primary" to={paths.postEdit.to('new')}>
      <Plus aria-hidden />
      {t('new')}
    </ButtonLink>
  )
  return (
    <PageLayout
      title={t('title')}
      description={t('description')}
      width="narrow"
      actions={
        <>
          <ButtonAnchor href={addressOfCall(ownOperations.getPostFeed)}>
            <Rss aria-hidden />
            {t('feed')}
          </ButtonAnchor>
          {canEdit && write}
        </>
      }
    >
      <Posts canEdit={canEdit} />
    </PageLayout>
  )
}

function Posts({ canEdit }: { readonly canEdit: boolean }) {
  const { t } = useTranslation('posts')
  const tag = useSearchParams()[0].get('tag')
  const { data: posts, error, mutate } = useCall(operations.listPosts)
  if (!posts) return error ? <ErrorState error={error} onRetry={() => mutate()} /> : <PostsSkeleton />
  if (posts.length === 0)
    return (
      <EmptyState icon={Newspaper} title={t('empty')}>
        {canEdit ? t('emptyAdmin') : t('emptyText')}
      </EmptyState>
    )
  const shown = filterPostsByTag(posts, tag)
  return (
    <>
      <PostTagFilter tags={countTags(posts)} chosen={tag} total={posts.length} />
      {shown.length === 0 ? (
        <EmptyState icon={Tags} title={t('noneTagged')} actions={<ButtonLink to={paths.posts.to()}>{t('showAll')}</ButtonLink>}>
          {t('noneTaggedText', { tag: tag ?? '' })}
        </EmptyState>
      ) : (
        <PostList posts={shown} canEdit={canEdit} />
      )}
    </>
  )
}
