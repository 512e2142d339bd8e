import type { ChallengeBrief } from '@capstan/contract/challenges'
import { operations } from '@capstan/contract/operations'
import { Eye, EyeOff, ListChecks } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { oneByOne } from '../../components/editing/one-by-one.ts'
import { Button } from '../../components/ui/button.tsx'
import { AlertDialog } from '../../components/ui/dialog.tsx'
import { Menu, MenuItem } from '../../components/ui/dropdown-menu.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Progress } from '../../components/ui/progress.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { toast } from '../../components/ui/toast.tsx'
import { call } from '../../lib/http.ts'
import styles from './challenge-list.module.css'
import { showStored } from './use-enabled.ts'

interface SwitchAllProps {
  readonly gameId: number
  /** As the list shows them. */
  readonly challenges: readonly ChallengeBrief[]
}

/** Enables or disables everything that the list shows, for example a category on the second morning. */
export function SwitchAll({ gameId, challenges }: SwitchAllProps) {
  const { t } = useTranslation('admin-challenges')
  const [wanted, setWanted] = useState<{ readonly enable: boolean; readonly challenges: readonly ChallengeBrief[] }>()
  const changed = (enable: boolean) => challenges.filter(({ isEnabled }) => isEnabled !== enable)
  const ask = (enable: boolean) => () => setWanted({ enable, challenges: changed(enable) })
  return (
    <>
      <Menu
        trigger={
          <Button>
            <ListChecks aria-hidden />
            {t('all.action')}
          </Button>
        }
      >
        <MenuItem
          icon={<Eye aria-hidden />}
          disabled={changed(true).length === 0}
          end={changed(true).length}
          onSelect={ask(true)}
        >
          {t('all.enable')}
        </MenuItem>
        <MenuItem
          icon={<EyeOff aria-hidden />}
          disabled={changed(false).length === 0}
          end={changed(false).length}
          onSelect={ask(false)}
        >
          {t('all.disable')}
        </MenuItem>
      </Menu>
      {wanted && <SwitchDialog gameId={gameId} {...wanted} onClose={() => setWanted(undefined)} />}
    </>
  )
}

interface SwitchDialogProps extends SwitchAllProps {
  readonly enable: boolean
  readonly onClose: () => void
}

/** Asks, then switches one after the other; what fails stays in the dialog with its reason and can be tried again. */
function SwitchDialog({ gameId, challenges, enable, onClose }: SwitchDialogProps) {
  const { t } = useTranslation('admin-challenges')
  const [left, setLeft] = useState(challenges)
  const [handled, setHandled] = useState(0)
  const [failures, setFailures] = useState<readonly { readonly item: ChallengeBrief; readonly error: unknown }[]>([])
  const run = useAction(async () => {
    setHandled(0)
    setFailures([])
    const change = async ({ id }: ChallengeBrief) => {
      const params = { id: gameId, cid: id }
      await showStored(gameId, await call(operations.updateChallenge, { params, body: { isEnabled: enable } }))
    }
    const { done, failed } = await oneByOne(left, change, { onProgress: setHandled })
    if (done.length > 0) toast({ tone: 'ok', title: t(enable ? 'all.enabled' : 'all.disabled', { number: done.length }) })
    setLeft(failed.map(({ item }) => item))
    setFailures(failed)
    if (failed.length === 0) onClose()
  })
  return (
    <AlertDialog
      open
      onOpenChange={() => !run.busy && onClose()}
      title={t(enable ? 'all.enableTitle' : 'all.disableTitle')}
      description={
        <div className="stack gap-2">
          <p>{t(enable ? 'all.enableText' : 'all.disableText')}</p>
          {failures.length === 0 && (
            <ul className={styles.names}>
              {left.map(({ id, title }) => (
                <li key={id}>{title}</li>
              ))}
            </ul>
          )}
          {run.busy && (
            <Progress label={t('all.progress', { done: handled, total: left.length })} value={handled / left.length} />
          )}
        </div>
      }
      confirm={t(enable ? 'all.enable' : 'all.disable')}
      danger={!enable}
      busy={run.busy}
      error={
        failures.length > 0 ? (
          <>
            {t('all.failed')}
            {failures.map(({ item, error }) => (
              <span key={item.id} className={styles.failure}>
                {item.title}: <ErrorText error={error} />
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
