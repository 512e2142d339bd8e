import { InputLimits, Limits } from '@capstan/contract/limits'
import type { PostDetail } from '@capstan/contract/posts'
import { useTranslation } from 'react-i18next'
import { useNavigate } from 'react-router'
import { SaveBar } from '../../components/editing/save-bar.tsx'
import { TagsInput } from '../../components/editing/tags-input.tsx'
import { useDraft } from '../../components/editing/use-draft.ts'
import { Field, Switch } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Input, Textarea } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { paths } from '../../lib/paths.ts'
import { ContentEditor } from './content-editor.tsx'
import { createPost, emptyPost, type PostText, readPost, textOfPost, updatePost } from './post-changes.ts'
import styles from './posts.module.css'

const tagLimits = { most: InputLimits.maxTags, longest: InputLimits.maxTagLength }
const fields = ['title', 'summary', 'content', 'tags'] as const satisfies (keyof PostText)[]

type PostEditorProps = Readonly<{
  /** Post to edit. Undefined to create one. */
  post?: PostDetail
  knownTags: readonly string[]
}>

/** Editor of a post. Typed input survives reloads, an expired session and concurrent changes. */
export function PostEditor({ post, knownTags }: PostEditorProps) {
  const { t } = useTranslation(['posts', 'common'])
  const navigate = useNavigate()
  const draft = useDraft<PostText>(post ? `post:${post.id}` : 'post:new', post ? textOfPost(post) : emptyPost)
  const { value } = draft
  const title = value.title.trim()
  const used = [...value.title].length
  const isEmptyTitle = title === '' && 'title' in draft.changes
  const isLong = used > Limits.maxPostTitleLength
  const faulty = title === '' || isLong ? (['title'] as const) : []
  const save = useAction(async () => {
    // Read the post again first, so that the save does not overwrite a concurrent change.
    const stored = post && (await readPost(post.id))
    const known = stored ? textOfPost(stored) : emptyPost
    if (stored && draft.conflictsWith(known).length > 0) return
    const mine = { ...known, ...draft.changes }
    const text = { ...mine, title: mine.title.trim() }
    const id = stored ? await updatePost(stored, text) : await createPost(text)
    draft.discard()
    showToast({ tone: 'ok', title: t(post ? 'posts:form.saved' : 'posts:form.published') })
    await navigate(paths.post.to(id), { replace: true })
  })
  const labels: Readonly<Record<keyof PostText, string>> = {
    title: t('posts:form.title'),
    summary: t('posts:form.summary'),
    content: t('posts:form.content'),
    tags: t('posts:form.tags'),
    isPinned: t('posts:form.pinned'),
  }
  const refusal = toFormRefusal(save.error, fields)
  const set = (patch: Partial<PostText>) => {
    if (refusal.field && refusal.field in patch) save.reset()
    draft.set(patch)
  }
  const counts = { used, count: Limits.maxPostTitleLength }
  return (
    <form
      className="stack gap-6"
      onSubmit={(event) => {
        event.preventDefault()
        const canSave = faulty.length === 0 && draft.conflicts.length === 0
        if (canSave && draft.changedFields.length > 0) void save.run()
      }}
    >
      <div className={styles.fields}>
        <Field
          label={labels.title}
          hint={isLong ? undefined : used > Limits.maxPostTitleLength - 15 ? t('posts:form.titleLeft', counts) : undefined}
          error={isLong ? t('posts:form.titleLong', counts) : isEmptyTitle ? t('common:field.empty') : refusal.of('title')}
        >
          {(control) => (
            <Input {...control} required value={value.title} onChange={(event) => set({ title: event.target.value })} />
          )}
        </Field>
        <Field label={labels.summary} hint={t('posts:form.summaryHint')} error={refusal.of('summary')} optional>
          {(control) => (
            <Textarea
              {...control}
              rows={2}
              value={value.summary}
              className={styles.short}
              onChange={(event) => set({ summary: event.target.value })}
            />
          )}
        </Field>
        <Field label={labels.tags} hint={t('posts:form.tagsHint')} error={refusal.of('tags')} optional>
          {(control) => (
            <TagsInput
              control={control}
              label={labels.tags}
              tags={value.tags}
              limits={tagLimits}
              suggestions={knownTags.filter((tag) => !value.tags.includes(tag))}
              onTagsChange={(tags) => set({ tags })}
            />
          )}
        </Field>
        <Switch
          label={labels.isPinned}
          hint={t('posts:form.pinnedHint')}
          checked={value.isPinned}
          onCheckedChange={(isPinned) => set({ isPinned })}
        />
      </div>
      <ContentEditor error={refusal.of('content')} value={value.content} onValueChange={(content) => set({ content })} />
      <SaveBar
        draft={draft}
        labelOf={(field) => labels[field]}
        busy={save.busy}
        error={save.error}
        refused={refusal.field}
        faulty={faulty}
        onSave={() => void save.run()}
        onDiscard={save.reset}
        {...(!post && { saveLabel: t('posts:form.publish'), isNew: true })}
      />
    </form>
  )
}
