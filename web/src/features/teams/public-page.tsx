import { ownOperations } from '@capstan/contract/operations'
import type { OwnProfileVisibility } from '@capstan/contract/profiles'
import type { TeamInfo } from '@capstan/contract/teams'
import { useTranslation } from 'react-i18next'
import { Switch } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { ErrorText } from '../../components/ui/states.tsx'
import { call } from '../../lib/http.ts'
import { setCallData } from '../../lib/server-state.ts'

export type TeamPages = OwnProfileVisibility['teams'][number]

export function PublicPageSwitch({ team, pages }: Readonly<{ team: TeamInfo; pages: TeamPages }>) {
  const { t } = useTranslation('teams')
  const save = useAction(async () => {
    const hasPublicPage = !pages.hasPublicPage
    await call(ownOperations.setTeamVisibility, { params: { id: team.id }, body: { hasPublicPage } })
    await setCallData(
      [ownOperations.getOwnVisibility],
      (known) =>
        known && { ...known, teams: known.teams.map((each) => (each.id === team.id ? { ...each, hasPublicPage } : each)) },
    )
  })
  return (
    <div className="ruled">
      <Switch
        label={t('publicPage.show')}
        hint={t('publicPage.text')}
        checked={pages.hasPublicPage}
        disabled={save.busy}
        onCheckedChange={() => void save.run()}
      />
      {save.error !== undefined && (
        <p role="alert" className="small">
          <ErrorText error={save.error} />
        </p>
      )}
    </div>
  )
}
