import type { ChallengeBrief } from '@capstan/contract/challenges'
import { operations } from '@capstan/contract/operations'
import { Eye, EyeOff, ListChecks } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useOneByOne } from '../../components/editing/use-one-by-one.tsx'
import { Button } from '../../components/ui/button.tsx'
import { AlertDialog } from '../../components/ui/dialog.tsx'
import { Menu, MenuItem } from '../../components/ui/dropdown-menu.tsx'
import { Progress } from '../../components/ui/progress.tsx'
import { toast } from '../../components/ui/toast.ts'
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
  const on = challenges.filter(({ isEnabled }) => isEnabled)
  const off = challenges.filter(({ isEnabled }) => !isEnabled)
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
          disabled={off.length === 0}
          end={off.length}
          onSelect={() => setWanted({ enable: true, challenges: off })}
        >
          {t('all.enable')}
        </MenuItem>
        <MenuItem
          icon={<EyeOff aria-hidden />}
          disabled={on.length === 0}
          end={on.length}
          onSelect={() => setWanted({ enable: false, challenges: on })}
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
  const job = useOneByOne(challenges, {
    act: async ({ id }) => {
      const params = { id: gameId, cid: id }
      await showStored(gameId, await call(operations.updateChallenge, { params, body: { isEnabled: enable } }))
    },
    onTried: ({ done, failed }) => {
      if (done.length > 0) toast({ tone: 'ok', title: t(enable ? 'all.enabled' : 'all.disabled', { number: done.length }) })
      if (failed.length === 0) onClose()
    },
    keyOf: ({ id }) => id,
    nameOf: ({ title }) => title,
    failed: () => t('all.failed'),
  })
  return (
    <AlertDialog
      open
      onOpenChange={() => !job.busy && onClose()}
      title={t(enable ? 'all.enableTitle' : 'all.disableTitle')}
      description={
        <div className="stack gap-2">
          <p>{t(enable ? 'all.enableText' : 'all.disableText')}</p>
          {!job.hasFailures && (
            <ul className={styles.names}>
              {job.left.map(({ id, title }) => (
                <li key={id}>{title}</li>
              ))}
            </ul>
          )}
          {job.busy && (
            <Progress
              label={t('all.progress', { done: job.handled, total: job.left.length })}
              value={job.handled / job.left.length}
            />
          )}
        </div>
      }
      confirm={t(enable ? 'all.enable' : 'all.disable')}
      danger={!enable}
      busy={job.busy}
      error={job.error}
      onConfirm={() => void job.run()}
    />
  )
}
