import { ownOperations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { Card } from '../../components/ui/card.tsx'
import { Switch } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { call } from '../../lib/http.ts'
import { setCallData, useCall } from '../../lib/server-state.ts'

/** Switch for mails about the user's games. A change applies immediately. */
export function GameMailSection() {
  const { t } = useTranslation('account')
  const { data, error } = useCall(ownOperations.getGameMailChoice)
  const save = useAction(async () => {
    if (!data) return
    const choice = { hasGameMail: !data.hasGameMail }
    await call(ownOperations.setGameMailChoice, { body: choice })
    await setCallData([ownOperations.getGameMailChoice], choice)
  })
  const failure = save.error ?? (data ? undefined : error)
  return (
    <Card title={t('gameMail.title')}>
      <div className="stack gap-2">
        <Switch
          label={t('gameMail.get')}
          hint={t('gameMail.hint')}
          checked={data?.hasGameMail ?? true}
          disabled={data === undefined || save.busy}
          onCheckedChange={() => void save.run()}
        />
        {failure && (
          <p role="alert" className="small">
            <ErrorText error={failure} />
          </p>
        )}
      </div>
    </Card>
  )
}
