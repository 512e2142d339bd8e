import { Limits, PageLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import type { ApiTokenCreated, TokenScope } from '@capstan/contract/tokens'
import { tokenScopes } from '@capstan/contract/vocabulary'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field, FieldError } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { FormDialog } from '../../components/ui/form-dialog.tsx'
import { Input, Select } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { formatNumber } from '../../lib/format.ts'
import { call } from '../../lib/http.ts'
import { refreshCall, useCall } from '../../lib/server-state.ts'

/** Lifetimes in days. 0 means that the token does not expire. */
const lifetimes = ['7', '30', '90', '365', '0'] as const
const allGames = 'all'

type CreateTokenDialogProps = Readonly<{
  onClose: () => void
}>

/** Creates a token and shows it once, because the server cannot show it again. */
export function CreateTokenDialog({ onClose }: CreateTokenDialogProps) {
  const [created, setCreated] = useState<ApiTokenCreated>()
  return created ? <CreatedToken created={created} onClose={onClose} /> : <TokenForm onClose={onClose} onCreated={setCreated} />
}

type TokenFormProps = CreateTokenDialogProps &
  Readonly<{
    onCreated: (created: ApiTokenCreated) => void
  }>

function TokenForm({ onClose, onCreated }: TokenFormProps) {
  const { t } = useTranslation(['admin-tokens', 'common'])
  const [name, setName] = useState('')
  const [scope, setScope] = useState<TokenScope>('ReadGame')
  const [game, setGame] = useState<string>(allGames)
  const [days, setDays] = useState<(typeof lifetimes)[number]>('90')
  const [isSent, setIsSent] = useState(false)
  const games = useCall(operations.adminListGames, { query: { count: PageLimits.max, skip: 0 } })
  const isForAll = scope === 'WritePlatform'
  const isNamed = name.trim() !== ''
  const create = useAction(async () => {
    const gameId = isForAll || game === allGames ? null : Number(game)
    const body = { name: name.trim(), scope, gameId, expiresIn: Number(days) }
    const created = await call(ownOperations.createToken, { body })
    await refreshCall(ownOperations.listTokens)
    onCreated(created)
  })
  const submit = () => {
    setIsSent(true)
    return isNamed ? create.run() : undefined
  }
  const refusal = toFormRefusal(create.error, isForAll ? ['name'] : ['name', 'game'], { gameId: 'game' })
  return (
    <FormDialog
      keepOpenOutside={name !== ''}
      title={t('create.title')}
      description={t('create.text')}
      submitLabel={t('create.submit')}
      busy={create.busy}
      noValidate
      onSubmit={submit}
      onClose={onClose}
    >
      <Field
        label={t('create.name')}
        hint={t('create.nameHint')}
        error={isSent && !isNamed ? t('create.nameMissing') : refusal.of('name')}
      >
        {(control) => (
          <Input
            {...control}
            value={name}
            maxLength={Limits.maxTokenNameLength}
            autoComplete="off"
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
      <Field label={t('create.scope')} hint={t(`create.scopeHint.${scope}`)}>
        {(control) => (
          <Select
            {...control}
            value={scope}
            onValueChange={setScope}
            options={tokenScopes.map((value) => ({ value, label: t(`scope.${value}`) }))}
          />
        )}
      </Field>
      <Field label={t('create.game')} hint={isForAll ? t('create.gameHint') : undefined} error={refusal.of('game')}>
        {(control) => (
          <Select
            {...control}
            disabled={isForAll}
            value={isForAll ? allGames : game}
            onValueChange={setGame}
            options={[
              { value: allGames, label: t('allGames') },
              ...(games.data?.data ?? []).map(({ id, title }) => ({ value: String(id), label: title })),
            ]}
          />
        )}
      </Field>
      <Field label={t('create.expires')}>
        {(control) => (
          <Select
            {...control}
            value={days}
            onValueChange={setDays}
            options={lifetimes.map((value) => ({
              value,
              label:
                value === '0'
                  ? t('create.never')
                  : t('create.days', { count: Number(value), number: formatNumber(Number(value)) }),
            }))}
          />
        )}
      </Field>
      {refusal.rest}
      {create.error === undefined && games.error !== undefined && (
        <FieldError>
          <ErrorText error={games.error} />
        </FieldError>
      )}
    </FormDialog>
  )
}

type CreatedTokenProps = CreateTokenDialogProps &
  Readonly<{
    created: ApiTokenCreated
  }>

function CreatedToken({ created: { token, info }, onClose }: CreatedTokenProps) {
  const { t } = useTranslation('admin-tokens')
  return (
    <Dialog
      open
      onOpenChange={onClose}
      keepOpenOutside
      title={t('made.title', { name: info.name })}
      description={t('made.text')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('made.done')}
        </Button>
      }
    >
      <div className="stack gap-3 start well">
        <output aria-label={t('made.token')}>{token}</output>
        <CopyButton text={token} label={t('made.copy')} withText />
      </div>
    </Dialog>
  )
}
