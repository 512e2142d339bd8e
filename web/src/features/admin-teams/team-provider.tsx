import { InputLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { SignInProvider, TeamProvider } from '@capstan/contract/sign-in'
import type { TeamInfo } from '@capstan/contract/teams'
import { Unlink } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Alert } from '../../components/ui/badge.tsx'
import { Button } from '../../components/ui/button.tsx'
import { ConfirmationDialog } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import { createSubmitHandler, useAction } from '../../components/ui/form.ts'
import { Input, Select } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { setCallData, useCall } from '../../lib/server-state.ts'

type Link = NonNullable<TeamProvider['link']>

function namesTeams({ kind, claims }: SignInProvider): boolean {
  return kind === 'Ctftime' || claims.team !== ''
}

function show(team: TeamInfo, answer: TeamProvider): Promise<unknown> {
  return setCallData([ownOperations.getTeamProvider, { params: { id: team.id } }], answer)
}

/**
 * Section that links a team of the platform to a team of an identity provider. Renders nothing if no provider sends names of
 * teams.
 */
export function TeamProviderLink({ team }: { readonly team: TeamInfo }) {
  const { t } = useTranslation(['admin-teams', 'common'])
  const { data, error, mutate } = useCall(ownOperations.getTeamProvider, { params: { id: team.id } })
  const settings = useCall(ownOperations.getSignInSettings)
  const providers = settings.data?.providers.filter(namesTeams)
  const failure = error ?? settings.error
  const isKnown = data && providers
  if (isKnown && !data.link && providers.length === 0) return null
  return (
    <section className="stack gap-2" aria-label={t('admin-teams:provider.title')}>
      <h3 className="small">{t('admin-teams:provider.title')}</h3>
      {!isKnown && !failure && <Skeleton height="58px" />}
      {!isKnown && failure && (
        <Alert
          tone="bad"
          title={t('admin-teams:provider.failed')}
          actions={
            <Button size="small" onClick={() => void Promise.all([mutate(), settings.mutate()])}>
              {t('common:action.retry')}
            </Button>
          }
        >
          <ErrorText error={failure} />
        </Alert>
      )}
      {isKnown && (data.link ? <Linked team={team} link={data.link} /> : <LinkForm team={team} providers={providers} />)}
    </section>
  )
}

function Linked({ team, link }: Readonly<{ team: TeamInfo; link: Link }>) {
  const { t } = useTranslation('admin-teams')
  const [asking, setAsking] = useState(false)
  const unlink = useAction(async () => {
    await show(team, await call(ownOperations.deleteTeamProvider, { params: { id: team.id } }))
    showToast({ tone: 'ok', title: t('provider.unlinkedToast', { team: team.name ?? '' }) })
  })
  return (
    <>
      <p className="wrap-anywhere">{t('provider.linked', { name: link.name, key: link.key })}</p>
      <div className="row">
        <Button size="small" onClick={() => setAsking(true)}>
          <Unlink aria-hidden />
          {t('provider.unlink')}
        </Button>
      </div>
      {asking && (
        <ConfirmationDialog
          open
          onOpenChange={setAsking}
          title={t('provider.unlinkQuestion', { team: team.name ?? '' })}
          description={t('provider.unlinkText', { key: link.key })}
          confirm={t('provider.unlink')}
          danger
          busy={unlink.busy}
          error={unlink.error === undefined ? undefined : <ErrorText error={unlink.error} />}
          onConfirm={() => void unlink.run()}
        />
      )}
    </>
  )
}

function LinkForm({ team, providers }: Readonly<{ team: TeamInfo; providers: readonly SignInProvider[] }>) {
  const { t } = useTranslation('admin-teams')
  const [chosen, setChosen] = useState<string>()
  const [key, setKey] = useState('')
  const [isSent, setIsSent] = useState(false)
  // The chosen provider may have been removed from the list. In this case, use the first provider.
  const providerId = (providers.find(({ id }) => id === chosen) ?? providers[0])?.id ?? ''
  const link = useAction(async () => {
    const body = { providerId, key: key.trim() }
    await show(team, await call(ownOperations.setTeamProvider, { params: { id: team.id }, body }))
    showToast({ tone: 'ok', title: t('provider.linkedToast', { team: team.name ?? '' }) })
  })
  const refusal = toFormRefusal(link.error, ['key'])
  const submit = () => {
    setIsSent(true)
    return key.trim() === '' ? undefined : link.run()
  }
  return (
    <form className="stack gap-2" noValidate onSubmit={createSubmitHandler(submit)}>
      <p className="small muted">{t('provider.text')}</p>
      <Field label={t('provider.provider')}>
        {(control) => (
          <Select
            {...control}
            value={providerId}
            onValueChange={setChosen}
            options={providers.map(({ id, name }) => ({ value: id, label: name }))}
          />
        )}
      </Field>
      <Field
        label={t('provider.key')}
        hint={t('provider.keyHint')}
        error={isSent && key.trim() === '' ? t('provider.keyMissing') : refusal.of('key')}
      >
        {(control) => (
          <Input
            {...control}
            value={key}
            maxLength={InputLimits.maxTeamKeyLength}
            autoComplete="off"
            spellCheck={false}
            onChange={(event) => setKey(event.target.value)}
          />
        )}
      </Field>
      {refusal.rest}
      <div className="row">
        <Button size="small" type="submit" busy={link.busy}>
          {t('provider.link')}
        </Button>
      </div>
    </form>
  )
}
