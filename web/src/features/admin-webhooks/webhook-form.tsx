import { Limits, PageLimits } from '@capstan/contract/limits'
import { operations, ownOperations } from '@capstan/contract/operations'
import { organizerKinds, publicKinds, webhookServices } from '@capstan/contract/vocabulary'
import {
  defaultTemplates,
  type Webhook,
  type WebhookKind,
  type WebhookService,
  type WebhookWrite,
} from '@capstan/contract/webhooks'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Checkbox, Field, FieldError, Switch } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { FormDialog } from '../../components/ui/form-dialog.tsx'
import { Input, PasswordInput, Select, Textarea } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { call } from '../../lib/http.ts'
import { languages } from '../../lib/languages.ts'
import { refreshCall, useCall } from '../../lib/server-state.ts'

const allGames = 'all'

const fields = ['name', 'address', 'authorization', 'kinds', 'template'] as const

const blank: WebhookWrite = {
  ...{ name: '', service: 'Discord', address: null, authorization: null, gameId: null },
  ...{ kinds: ['GameStarted', 'GameEnded', 'FirstBlood', 'Notice'], isForOrganizers: false },
  ...{ language: 'en-US', template: defaultTemplates.Discord, isEnabled: true },
}

function writeOf({ name, service, gameId, kinds, isForOrganizers, language, template, isEnabled }: Webhook): WebhookWrite {
  return { name, service, gameId, kinds, isForOrganizers, language, template, isEnabled, address: null, authorization: null }
}

type WebhookDialogProps = Readonly<{
  /** Webhook to change. Absent for a new one. */
  webhook?: Webhook | undefined
  onClose: () => void
  onKey: (key: string) => void
}>

/**
 * Dialog to create or change a webhook. The server never shows a stored address or authorization, so an empty field leaves the
 * stored value unchanged.
 */
export function WebhookDialog({ webhook, onClose, onKey }: WebhookDialogProps) {
  const { t } = useTranslation(['admin-webhooks', 'common'])
  const [draft, setDraft] = useState<WebhookWrite>(webhook ? writeOf(webhook) : blank)
  const change = (changes: Partial<WebhookWrite>) => setDraft((before) => ({ ...before, ...changes }))
  const games = useCall(operations.adminListGames, { query: { count: PageLimits.max, skip: 0 } })
  const save = useAction(async () => {
    if (webhook) await call(ownOperations.updateWebhook, { params: { id: webhook.id }, body: draft })
    else onKey((await call(ownOperations.createWebhook, { body: draft })).signingKey)
    await refreshCall(ownOperations.listWebhooks)
    onClose()
  })
  const refusal = toFormRefusal(save.error, fields)
  const [isSent, setIsSent] = useState(false)
  const missing = {
    name: draft.name.trim() === '',
    address: !webhook && draft.address === null,
    kinds: draft.kinds.length === 0,
    template: draft.template.trim() === '',
  }
  const faultOf = (field: keyof typeof missing) => (isSent && missing[field] ? t('common:field.empty') : refusal.of(field))
  const [preview, setPreview] = useState<string>()
  const show = useAction(async () => {
    const { service, language, template, kinds } = draft
    const body = { service, language, template, kind: kinds[0] ?? 'Notice' }
    setPreview((await call(ownOperations.previewWebhook, { body })).body)
  })
  const setService = (service: WebhookService) =>
    change({ service, ...(draft.template === defaultTemplates[draft.service] && { template: defaultTemplates[service] }) })
  const setKind = (kind: WebhookKind, isChosen: boolean) =>
    change({ kinds: isChosen ? [...draft.kinds, kind] : draft.kinds.filter((one) => one !== kind) })
  const setForOrganizers = (isForOrganizers: boolean) =>
    change({
      isForOrganizers,
      kinds: isForOrganizers ? draft.kinds : draft.kinds.filter((kind) => !(organizerKinds as readonly string[]).includes(kind)),
    })
  const submit = () => {
    setIsSent(true)
    show.reset()
    return Object.values(missing).some(Boolean) ? undefined : save.run()
  }
  const isMoved = webhook?.hasAuthorization && draft.address !== null && URL.parse(draft.address)?.host !== webhook.host
  return (
    <FormDialog
      keepOpenOutside
      size="large"
      title={webhook ? t('editTitle', { name: webhook.name }) : t('new')}
      submitLabel={t(webhook ? 'common:action.save' : 'common:action.create')}
      busy={save.busy}
      noValidate
      onSubmit={submit}
      onClose={onClose}
    >
      <Field label={t('name')} error={faultOf('name')}>
        {(control) => (
          <Input
            {...control}
            value={draft.name}
            maxLength={Limits.maxWebhookNameLength}
            autoComplete="off"
            onChange={(event) => change({ name: event.target.value })}
          />
        )}
      </Field>
      <Field label={t('service')}>
        {(control) => (
          <Select
            {...control}
            value={draft.service}
            onValueChange={setService}
            options={webhookServices.map((value) => ({ value, label: value === 'Json' ? t('otherService') : value }))}
          />
        )}
      </Field>
      <Field
        label={t('address')}
        hint={webhook ? t('retained', { host: webhook.host }) : t('addressHint')}
        error={faultOf('address')}
      >
        {(control) => (
          <Input
            {...control}
            type="url"
            value={draft.address ?? ''}
            maxLength={Limits.maxWebhookAddressLength}
            autoComplete="off"
            onChange={(event) => change({ address: event.target.value || null })}
          />
        )}
      </Field>
      <Field
        label={t('authorization')}
        hint={t(isMoved ? 'authorizationAgain' : webhook?.hasAuthorization ? 'authorizationHint' : 'authorizationNew')}
        error={refusal.of('authorization')}
        optional={!isMoved}
      >
        {(control) => (
          <PasswordInput
            {...control}
            value={draft.authorization ?? ''}
            maxLength={Limits.maxWebhookAddressLength}
            autoComplete="off"
            onChange={(event) => change({ authorization: event.target.value || null })}
          />
        )}
      </Field>
      {webhook?.hasAuthorization && (
        <Checkbox
          label={t('noAuthorization')}
          checked={draft.authorization === ''}
          onCheckedChange={(isRemoved) => change({ authorization: isRemoved ? '' : null })}
        />
      )}
      <Field label={t('game')}>
        {(control) => (
          <Select
            {...control}
            value={draft.gameId === null ? allGames : String(draft.gameId)}
            onValueChange={(value) => change({ gameId: value === allGames ? null : Number(value) })}
            options={[
              { value: allGames, label: t('allGames') },
              ...(games.data?.data ?? []).map(({ id, title }) => ({ value: String(id), label: title })),
            ]}
          />
        )}
      </Field>
      <Switch
        label={t('forOrganizers')}
        hint={t('forOrganizersHint')}
        checked={draft.isForOrganizers}
        onCheckedChange={setForOrganizers}
      />
      <fieldset className="stack gap-2">
        <legend>{t('kinds')}</legend>
        {[...publicKinds, ...(draft.isForOrganizers ? organizerKinds : [])].map((kind) => (
          <Checkbox
            key={kind}
            label={t(`kind.${kind}`)}
            checked={draft.kinds.includes(kind)}
            onCheckedChange={(isChosen) => setKind(kind, isChosen)}
          />
        ))}
        <FieldError>{faultOf('kinds')}</FieldError>
      </fieldset>
      <Field label={t('language')}>
        {(control) => (
          <Select
            {...control}
            value={draft.language}
            onValueChange={(language) => change({ language })}
            options={languages.map(({ code, label }) => ({ value: code, label }))}
          />
        )}
      </Field>
      <Field label={t('template')} hint={t('templateHint')} error={faultOf('template')}>
        {(control) => (
          <Textarea
            {...control}
            rows={8}
            spellCheck={false}
            value={draft.template}
            maxLength={Limits.maxWebhookTemplateLength}
            onChange={(event) => change({ template: event.target.value })}
          />
        )}
      </Field>
      <div className="stack gap-2 start">
        <Button onClick={() => void show.run()} busy={show.busy}>
          {t('preview')}
        </Button>
        {preview !== undefined && show.error === undefined && <pre className="well wrap-anywhere">{preview}</pre>}
        {show.error !== undefined && (
          <FieldError>
            <ErrorText error={show.error} />
          </FieldError>
        )}
      </div>
      <Switch label={t('enabled')} checked={draft.isEnabled} onCheckedChange={(isEnabled) => change({ isEnabled })} />
      {refusal.rest}
    </FormDialog>
  )
}

/** Shows a signing key once, because the server cannot show it again. */
export function SigningKeyDialog({ signingKey, onClose }: Readonly<{ signingKey: string; onClose: () => void }>) {
  const { t } = useTranslation(['admin-webhooks', 'common'])
  return (
    <Dialog
      open
      onOpenChange={onClose}
      keepOpenOutside
      title={t('keyTitle')}
      description={t('keyText')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('common:action.close')}
        </Button>
      }
    >
      <div className="stack gap-3 start well">
        <output aria-label={t('keyTitle')} className="wrap-anywhere">
          {signingKey}
        </output>
        <CopyButton text={signingKey} label={t('keyCopy')} withText />
      </div>
    </Dialog>
  )
}
