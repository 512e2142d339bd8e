import { ownOperations } from '@capstan/contract/operations'
import { useTranslation } from 'react-i18next'
import { Link } from 'react-router'
import { Card } from '../../components/ui/card.tsx'
import { Switch } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { call } from '../../lib/http.ts'
import { paths } from '../../lib/paths.ts'
import { setCallData, useCall } from '../../lib/server-state.ts'

/** Switch for the visibility of the player's page. A change applies immediately. */
export function PublicPageSection({ userId }: { readonly userId: string }) {
  const { t } = useTranslation('account')
  const { data, error } = useCall(ownOperations.getOwnVisibility)
  const save = useAction(async () => {
    if (!data) return
    const hasPublicPage = !data.hasPublicPage
    await call(ownOperations.setOwnVisibility, { body: { hasPublicPage } })
    await setCallData([ownOperations.getOwnVisibility], (known) => known && { ...known, hasPublicPage })
  })
  const failure = save.error ?? (data ? undefined : error)
  return (
    <Card title={t('profile.publicPage')}>
      <div className="stack gap-2">
        <Switch
          label={t('profile.publicPageShow')}
          hint={
            <>
              {t('profile.publicPageText')} <Link to={paths.player.to(userId)}>{t('profile.publicPageOpen')}</Link>
            </>
          }
          checked={data?.hasPublicPage ?? true}
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
