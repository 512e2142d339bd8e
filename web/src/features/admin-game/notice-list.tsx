import type { GameNotice } from '@capstan/contract/games'
import { PageLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import { Pencil, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ConflictAlert } from '../../components/editing/conflict-alert.tsx'
import { MarkdownField } from '../../components/editing/markdown-field.tsx'
import { useUnloadQuestion } from '../../components/editing/unload-question.ts'
import { useDraft } from '../../components/editing/use-draft.ts'
import { NoticeText } from '../../components/layout/notice-text.tsx'
import { Button, IconButton } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { ConfirmationDialog, Dialog } from '../../components/ui/dialog.tsx'
import { createSubmitHandler, useAction } from '../../components/ui/form.ts'
import { Markdown } from '../../components/ui/markdown.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { ErrorState, ErrorText } from '../../components/ui/states.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { draftPrefix } from '../../lib/forget.ts'
import { call } from '../../lib/http.ts'
import { refreshCall, setCallData, useCall } from '../../lib/server-state.ts'
import styles from './admin-game.module.css'

function textOf(notice: GameNotice) {
  return notice.values.at(-1) ?? ''
}

/** Number of automatic notices that are shown until the organizer asks for older ones. */
const shortList = 10

function newestFirst(one: GameNotice, other: GameNotice) {
  return Date.parse(other.time) - Date.parse(one.time)
}

type NoticeListProps = Readonly<{
  gameId: number
  notices: readonly GameNotice[]
}>

export function NoticeList({ gameId, notices }: NoticeListProps) {
  const { t } = useTranslation('admin-game')
  const [opened, setOpened] = useState<GameNotice>()
  // Show the stored notice during the edit, so that concurrent changes are visible. If another user deletes the notice, the form
  // remains open, so that the organizer can copy the entered text.
  const edited = notices.find(({ id }) => id === opened?.id) ?? opened
  const [deleted, setDeleted] = useState<GameNotice>()
  return (
    <section className="stack gap-2" aria-label={t('notices.list')} hidden={notices.length === 0}>
      {notices.toSorted(newestFirst).map((notice) => (
        <article key={notice.id} className={cx('line start gap-4 frame', styles.notice)}>
          <div className="grow">
            <Markdown source={textOf(notice)} compact />
            <span className="small muted">
              <RelativeTime at={notice.time} />
            </span>
          </div>
          <span className="line gap-0">
            <IconButton size="small" label={t('notices.edit')} onClick={() => setOpened(notice)}>
              <Pencil />
            </IconButton>
            <IconButton size="small" label={t('notices.delete')} onClick={() => setDeleted(notice)}>
              <Trash2 />
            </IconButton>
          </span>
        </article>
      ))}
      {edited && <EditNotice gameId={gameId} notice={edited} onClose={() => setOpened(undefined)} />}
      {deleted && <DeleteNotice gameId={gameId} notice={deleted} onClose={() => setDeleted(undefined)} />}
    </section>
  )
}

type GeneratedNoticesProps = Readonly<{
  gameId: number
  /** True while the list above loads. The section then stays hidden, because the list would move it. */
  isListLoading: boolean
}>

/** Automatic notices about bloods, hints and new challenges, newest first. */
export function GeneratedNotices({ gameId, isListLoading }: GeneratedNoticesProps) {
  const { t } = useTranslation(['admin-game', 'notices'])
  const [count, setCount] = useState(shortList)
  const params = { id: gameId }
  const { data: notices, error, mutate } = useCall(ownOperations.listGeneratedNotices, { params, query: { count: count + 1 } })
  const [withdrawn, setWithdrawn] = useState<GameNotice>()
  const withdraw = useAction(async () => {
    if (!withdrawn) return
    await call(ownOperations.withdrawNotice, { params: { ...params, nid: withdrawn.id } })
    await mutate()
    showToast({ tone: 'ok', title: t('admin-game:notices.withdrawn') })
    setWithdrawn(undefined)
  })
  if (isListLoading) return null
  if (!notices && error) return <ErrorState error={error} onRetry={() => mutate()} />
  if (!notices || notices.length === 0) return null
  return (
    <section className="stack gap-2" aria-label={t('admin-game:notices.automatic')}>
      <h2 className="above-4 size-14">{t('admin-game:notices.automatic')}</h2>
      {notices.slice(0, count).map((notice) => (
        <article key={notice.id} className={cx('line start gap-4 frame', styles.notice)}>
          <div className="grow">
            <strong className="small">{t(`notices:type.${notice.type}`)}</strong>
            <NoticeText notice={notice} />
            <span className="small muted">
              <RelativeTime at={notice.time} />
            </span>
          </div>
          <IconButton size="small" label={t('admin-game:notices.withdraw')} onClick={() => setWithdrawn(notice)}>
            <Trash2 />
          </IconButton>
        </article>
      ))}
      {notices.length > count && (
        <Button onClick={() => setCount(PageLimits.max - 1)}>{t('admin-game:notices.showOlder')}</Button>
      )}
      {withdrawn && (
        <ConfirmationDialog
          open
          onOpenChange={() => setWithdrawn(undefined)}
          title={t('admin-game:notices.withdrawQuestion')}
          description={t('admin-game:notices.withdrawText')}
          confirm={t('admin-game:notices.withdraw')}
          danger
          busy={withdraw.busy}
          error={withdraw.error === undefined ? undefined : <ErrorText error={withdraw.error} />}
          onConfirm={() => void withdraw.run()}
        />
      )}
    </section>
  )
}

type NoticeDialogProps = Readonly<{
  gameId: number
  notice: GameNotice
  onClose: () => void
}>

function EditNotice({ gameId, notice, onClose }: NoticeDialogProps) {
  const { t } = useTranslation(['admin-game', 'common'])
  const params = { id: gameId }
  const draft = useDraft(`notice-${gameId}-${notice.id}`, { content: textOf(notice) })
  const { content } = draft.value
  const isEmpty = content.trim() === ''
  const close = () => {
    draft.discard()
    onClose()
  }
  const save = useAction(async () => {
    // Read the notice again first, so that the save does not overwrite a concurrent change.
    const notices = await call(operations.adminListNotices, { params })
    await setCallData([operations.adminListNotices, { params }], notices)
    const stored = notices.find(({ id }) => id === notice.id)
    if (stored && draft.conflictsWith({ content: textOf(stored) }).length > 0) return
    await call(operations.updateNotice, { params: { ...params, nid: notice.id }, body: { content } })
    await refreshCall(operations.adminListNotices, { params })
    showToast({ tone: 'ok', title: t('admin-game:notices.saved') })
    close()
  })
  const isContested = draft.conflicts.length > 0
  return (
    <Dialog
      open
      onOpenChange={close}
      keepOpenOutside
      size="large"
      title={t('admin-game:notices.edit')}
      description={t('admin-game:notices.editHint')}
      footer={
        <>
          <Button onClick={close}>{t('common:action.cancel')}</Button>
          <Button variant="primary" busy={save.busy} disabled={isEmpty || isContested} onClick={() => void save.run()}>
            {t('common:action.save')}
          </Button>
        </>
      }
    >
      <div className="stack">
        <ConflictAlert draft={draft} labelOf={() => t('admin-game:notices.text')} />
        <MarkdownField
          label={t('admin-game:notices.text')}
          rows={8}
          value={content}
          onValueChange={(text) => draft.set({ content: text })}
          error={isEmpty ? t('common:field.empty') : save.error !== undefined && <ErrorText error={save.error} />}
        />
      </div>
    </Dialog>
  )
}

function DeleteNotice({ gameId, notice, onClose }: NoticeDialogProps) {
  const { t } = useTranslation('admin-game')
  const remove = useAction(async () => {
    await call(operations.deleteNotice, { params: { id: gameId, nid: notice.id } })
    await refreshCall(operations.adminListNotices, { params: { id: gameId } })
    showToast({ tone: 'ok', title: t('notices.deleted') })
    onClose()
  })
  return (
    <ConfirmationDialog
      open
      onOpenChange={onClose}
      title={t('notices.deleteQuestion')}
      description={t('notices.deleteText')}
      confirm={t('notices.delete')}
      danger
      busy={remove.busy}
      error={remove.error === undefined ? undefined : <ErrorText error={remove.error} />}
      onConfirm={() => void remove.run()}
    />
  )
}

/** Form for a new notice. Typed input survives a reload, and the browser asks before it closes a tab with input. */
export function ComposeNoticeForm({ gameId }: { readonly gameId: number }) {
  const { t } = useTranslation(['admin-game', 'common'])
  const key = `${draftPrefix}notice-${gameId}`
  const [content, setContent] = useState(() => sessionStorage.getItem(key) ?? '')
  const [isChecked, setChecked] = useState(false)
  const isEmpty = content.trim() === ''
  useUnloadQuestion(() => !isEmpty)
  const write = (text: string) => {
    setContent(text)
    setChecked(false)
    sessionStorage.setItem(key, text)
  }
  const publish = useAction(async () => {
    await call(operations.addNotice, { params: { id: gameId }, body: { content } })
    write('')
    await refreshCall(operations.adminListNotices, { params: { id: gameId } })
    showToast({ tone: 'ok', title: t('admin-game:notices.published') })
  })
  const refusal = toFormRefusal(publish.error, ['content'])
  const submit = () => {
    setChecked(true)
    return isEmpty ? undefined : publish.run()
  }
  return (
    <Card title={t('admin-game:notices.compose')}>
      <form className="stack" noValidate onSubmit={createSubmitHandler(submit)}>
        <MarkdownField
          label={t('admin-game:notices.text')}
          rows={6}
          value={content}
          onValueChange={write}
          hint={t('admin-game:notices.publishHint')}
          error={isChecked && isEmpty ? t('common:field.empty') : refusal.of('content')}
        />
        {refusal.rest}
        <div className="row">
          <Button type="submit" variant="primary" busy={publish.busy}>
            {t('admin-game:notices.publish')}
          </Button>
        </div>
        <p className="small muted">{t('admin-game:notices.generated')}</p>
      </form>
    </Card>
  )
}
