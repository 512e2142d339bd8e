import type { PostSummary } from '@capstan/contract/posts'
import { Ellipsis, Pencil, Pin, PinOff, Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../components/ui/button.tsx'
import { ConfirmationDialog } from '../../components/ui/dialog.tsx'
import { MenuItem, MenuSeparator, PopupMenu } from '../../components/ui/dropdown-menu.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { paths } from '../../lib/paths.ts'
import { deletePost, setPostPinned } from './post-changes.ts'

type PostMenuProps = Readonly<{
  post: PostSummary
  onDeleted?: () => void
}>

/** Actions of an admin on a post, outside of the editor. */
export function PostMenu({ post, onDeleted }: PostMenuProps) {
  const { t } = useTranslation('posts')
  const [asking, setAsking] = useState(false)
  const { title, isPinned } = post
  const pin = useAction(async () => {
    try {
      await setPostPinned(post.id, !isPinned)
      showToast({ tone: 'ok', title: t(isPinned ? 'unpinnedNow' : 'pinnedNow', { title }) })
    } catch (error) {
      showToast({ tone: 'bad', title: <ErrorText error={error} /> })
    }
  })
  const remove = useAction(async () => {
    await deletePost(post.id)
    showToast({ tone: 'ok', title: t('deletion.done') })
    setAsking(false)
    onDeleted?.()
  })
  return (
    <>
      <PopupMenu
        trigger={
          <IconButton label={t('action.menu', { title })} busy={pin.busy}>
            <Ellipsis />
          </IconButton>
        }
      >
        <MenuItem icon={<Pencil aria-hidden />} to={paths.postEdit.to(post.id)}>
          {t('action.edit')}
        </MenuItem>
        <MenuItem icon={isPinned ? <PinOff aria-hidden /> : <Pin aria-hidden />} onSelect={() => void pin.run()}>
          {t(isPinned ? 'action.unpin' : 'action.pin')}
        </MenuItem>
        <MenuSeparator />
        <MenuItem icon={<Trash2 aria-hidden />} danger onSelect={() => setAsking(true)}>
          {t('action.delete')}
        </MenuItem>
      </PopupMenu>
      <ConfirmationDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('deletion.title', { title })}
        description={t('deletion.text')}
        confirm={t('deletion.confirm')}
        danger
        busy={remove.busy}
        error={remove.error === undefined ? undefined : <ErrorText error={remove.error} />}
        onConfirm={() => void remove.run()}
      />
    </>
  )
}
