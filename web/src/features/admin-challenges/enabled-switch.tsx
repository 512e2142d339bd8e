import type { ChallengeBrief } from '@capstan/contract/challenges'
import { type ReactNode, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { ConfirmationDialog } from '../../components/ui/dialog.tsx'
import { FieldError, Switch } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { changeChallenges } from './save-challenge.ts'

type EnabledSwitchProps = Readonly<{
  gameId: number
  challenge: Pick<ChallengeBrief, 'id' | 'title' | 'isEnabled'>
  /**
   * True if the game is running. The switch then asks for confirmation before it disables the challenge, because players may be
   * working on it.
   */
  isRunning: boolean
  label: ReactNode
  hint?: ReactNode
}>

export function EnabledSwitch({ gameId, challenge, isRunning, label, hint }: EnabledSwitchProps) {
  const { t } = useTranslation('admin-challenges')
  const [asks, setAsks] = useState(false)
  const change = useAction((enabled: boolean) => changeChallenges(gameId, [challenge.id], { enabled }))
  return (
    <div className="stack gap-1">
      <Switch
        label={label}
        hint={hint}
        checked={challenge.isEnabled}
        disabled={change.busy}
        onCheckedChange={(isEnabled) => (isEnabled || !isRunning ? void change.run(isEnabled) : setAsks(true))}
      />
      {change.error !== undefined && (
        <FieldError>
          <ErrorText error={change.error} />
        </FieldError>
      )}
      <ConfirmationDialog
        open={asks}
        onOpenChange={setAsks}
        title={t('disable.question', { title: challenge.title })}
        description={t('disable.text')}
        confirm={t('disable.confirm')}
        danger
        busy={change.busy}
        onConfirm={() => void change.run(false).then(() => setAsks(false))}
      />
    </div>
  )
}
