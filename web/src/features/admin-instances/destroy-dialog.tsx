import type { ContainerInstance } from '@capstan/contract/admin'
import { operations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useOneByOne } from '../../components/editing/use-one-by-one.tsx'
import { AlertDialog } from '../../components/ui/dialog.tsx'
import { Progress } from '../../components/ui/progress.tsx'
import { toast } from '../../components/ui/toast.ts'
import { ApiError, call } from '../../lib/http.ts'
import { refresh } from '../../lib/server-state.ts'
import styles from './instances.module.css'

type DestroyDialogProps = Readonly<{
  instances: readonly ContainerInstance[]
  onClose: (destroyed: readonly ContainerInstance[]) => void
}>

async function destroy({ containerGuid }: ContainerInstance) {
  try {
    await call(operations.destroyInstance, { params: { id: containerGuid } })
  } catch (error) {
    if (!(error instanceof ApiError && error.httpStatus === 404)) throw error
  }
}

/** Destroys instances in sequence after a question. Failed ones stay in the dialog for a retry. */
export function DestroyDialog({ instances, onClose }: DestroyDialogProps) {
  const { t } = useTranslation('admin-instances')
  const [done, setDone] = useState<readonly ContainerInstance[]>([])
  const nameOf = ({ challenge, team }: ContainerInstance) =>
    t('selectOne', { challenge: challenge?.title ?? t('unknownChallenge'), team: team?.name ?? t('unknownTeam') })
  const job = useOneByOne(instances, {
    act: destroy,
    onTried: async (outcome) => {
      await refresh(operations.listInstances)
      const destroyed = [...done, ...outcome.done]
      setDone(destroyed)
      if (outcome.failed.length > 0) return
      toast({ tone: 'ok', title: t('destroyed', { count: destroyed.length }) })
      onClose(destroyed)
    },
    keyOf: ({ containerGuid }) => containerGuid,
    nameOf,
    failed: (count) => t('failed', { count }),
    listed: 8,
  })
  return (
    <AlertDialog
      open
      onOpenChange={() => !job.busy && onClose(done)}
      title={t('destroyTitle', { count: job.left.length })}
      description={
        <div className="stack gap-2">
          <p>{t('destroyText')}</p>
          {!job.hasFailures && job.left.length <= 5 && (
            <ul className={styles.names}>
              {job.left.map((instance) => (
                <li key={instance.containerGuid}>{nameOf(instance)}</li>
              ))}
            </ul>
          )}
          {job.busy && job.left.length > 1 && (
            <Progress
              label={t('destroying', { done: job.handled, total: job.left.length })}
              value={job.handled / job.left.length}
            />
          )}
        </div>
      }
      confirm={t('destroy', { count: job.left.length })}
      danger
      busy={job.busy}
      error={job.error}
      onConfirm={() => void job.run()}
    />
  )
}
