import type { ContainerInstance } from '@capstan/contract/admin'
import { operations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { oneByOne } from '../../components/editing/one-by-one.ts'
import { AlertDialog } from '../../components/ui/dialog.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Progress } from '../../components/ui/progress.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { ApiError, call } from '../../lib/http.ts'
import { refresh } from '../../lib/server-state.ts'
import styles from './instances.module.css'

interface DestroyDialogProps {
  readonly instances: readonly ContainerInstance[]
  readonly onClose: (destroyed: readonly ContainerInstance[]) => void
}

/** An instance that is gone already is destroyed as well. */
const destroy = async ({ containerGuid }: ContainerInstance) => {
  try {
    await call(operations.destroyInstance, { params: { id: containerGuid } })
  } catch (error) {
    if (!(error instanceof ApiError && error.httpStatus === 404)) throw error
  }
}

/** Asks, then destroys one after the other; what fails stays in the dialog and can be tried again. */
export function DestroyDialog({ instances, onClose }: DestroyDialogProps) {
  const { t } = useTranslation('admin-instances')
  const [left, setLeft] = useState(instances)
  const [done, setDone] = useState<readonly ContainerInstance[]>([])
  const [handled, setHandled] = useState(0)
  const [failures, setFailures] = useState<readonly { readonly item: ContainerInstance; readonly error: unknown }[]>([])
  const run = useAction(async () => {
    setHandled(0)
    setFailures([])
    const outcome = await oneByOne(left, destroy, { onProgress: setHandled })
    await refresh(operations.listInstances)
    const destroyed = [...done, ...outcome.done]
    if (outcome.failed.length > 0) {
      setDone(destroyed)
      setLeft(outcome.failed.map(({ item }) => item))
      setFailures(outcome.failed)
      return
    }
    toast({ tone: 'ok', title: t('destroyed', { count: destroyed.length }) })
    onClose(destroyed)
  })
  const nameOf = ({ challenge, team }: ContainerInstance) =>
    t('selectOne', { challenge: challenge?.title ?? t('unknownChallenge'), team: team?.name ?? t('unknownTeam') })
  return (
    <AlertDialog
      open
      onOpenChange={() => !run.busy && onClose(done)}
      title={t('destroyTitle', { count: left.length })}
      description={
        <div className="stack gap-2">
          <p>{t('destroyText')}</p>
          {failures.length === 0 && left.length <= 5 && (
            <ul className={styles.names}>
              {left.map((instance) => (
                <li key={instance.containerGuid}>{nameOf(instance)}</li>
              ))}
            </ul>
          )}
          {run.busy && left.length > 1 && (
            <Progress label={t('destroying', { done: handled, total: left.length })} value={handled / left.length} />
          )}
        </div>
      }
      confirm={t('destroy', { count: left.length })}
      danger
      busy={run.busy}
      error={
        failures.length > 0 ? (
          <>
            {t('failed', { count: failures.length })}
            {failures.slice(0, 8).map(({ item, error }) => (
              <span key={item.containerGuid} className={styles.failure}>
                {nameOf(item)}: <ErrorText error={error} />
              </span>
            ))}
          </>
        ) : run.error !== undefined ? (
          <ErrorText error={run.error} />
        ) : undefined
      }
      onConfirm={() => void run.run()}
    />
  )
}
