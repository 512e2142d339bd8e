import { InputLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { SecondFactor, TotpSetup } from '@capstan/contract/second-factor'
import { type ReactNode, useRef, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { CopyButton } from '../../components/ui/copy-button.tsx'
import { Dialog } from '../../components/ui/dialog.tsx'
import { Field } from '../../components/ui/field.tsx'
import { useAction } from '../../components/ui/form.ts'
import { FormDialog } from '../../components/ui/form-dialog.tsx'
import { Input } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refreshCall } from '../../lib/server-state.ts'
import styles from './account.module.css'
import { CredentialsDialog } from './proof-dialog.tsx'

type FactorDialogProps = Readonly<{ onClose: () => void }>

type ChangeDialogProps = FactorDialogProps & Readonly<{ factor: SecondFactor }>

type CodeDialogProps = FactorDialogProps &
  Readonly<{
    title: string
    text: string
    confirm: string
    children?: ReactNode
    onConfirm: (code: string) => Promise<unknown>
  }>

/** Dialog that asks for a code from the new authenticator app. */
function CodeDialog({ title, text, confirm, children, onConfirm, onClose }: CodeDialogProps) {
  const { t } = useTranslation(['account', 'common'])
  const input = useRef<HTMLInputElement>(null)
  const [code, setCode] = useState('')
  const [sent, setSent] = useState(false)
  const run = useAction(() => onConfirm(code))
  const refusal = toFormRefusal(run.error, ['code'])
  const submit = () => {
    setSent(true)
    return code.trim() ? run.run() : undefined
  }
  return (
    <FormDialog
      keepOpenOutside
      initialFocus={input}
      title={title}
      description={text}
      submitLabel={confirm}
      busy={run.busy}
      noValidate
      onSubmit={submit}
      onClose={onClose}
    >
      {children}
      <Field label={t('account:factor.code')} error={sent && !code.trim() ? t('common:field.empty') : refusal.of('code')}>
        {(control) => (
          <Input
            ref={input}
            {...control}
            value={code}
            inputMode="numeric"
            autoComplete="one-time-code"
            maxLength={InputLimits.maxFactorCodeLength}
            onChange={(event) => setCode(event.target.value)}
          />
        )}
      </Field>
      {refusal.rest}
    </FormDialog>
  )
}

/** Shows new recovery codes once, because the server cannot show them again. */
export function RecoveryCodesDialog({ codes, onClose }: FactorDialogProps & { readonly codes: readonly string[] }) {
  const { t } = useTranslation('account')
  return (
    <Dialog
      open
      keepOpenOutside
      onOpenChange={onClose}
      title={t('factor.codesTitle')}
      description={t('factor.codesText')}
      footer={
        <Button variant="primary" onClick={onClose}>
          {t('factor.codesDone')}
        </Button>
      }
    >
      <div className="stack">
        <ul className={`tiles gap-2 well ${styles.codes}`} aria-label={t('factor.codesTitle')}>
          {codes.map((code) => (
            <li key={code} className="mono">
              {code}
            </li>
          ))}
        </ul>
        <div className="row">
          <CopyButton text={codes.join('\n')} label={t('factor.copyCodes')} withText />
        </div>
      </div>
    </Dialog>
  )
}

/** Dialog that sets up an authenticator app in three steps: password, code from the app, and recovery codes. */
export function SetUpSecondFactorDialog({ factor, onClose }: ChangeDialogProps) {
  const { t } = useTranslation('account')
  const [setup, setSetup] = useState<TotpSetup>()
  const [codes, setCodes] = useState<readonly string[]>()
  if (codes) return <RecoveryCodesDialog codes={codes} onClose={onClose} />
  if (!setup)
    return (
      <CredentialsDialog
        key="proof"
        factor={factor}
        title={t('factor.setUp')}
        text={t('factor.passwordText')}
        confirm={t('factor.next')}
        onConfirm={async (proof) => setSetup(await call(ownOperations.startTotp, { body: proof }))}
        onClose={onClose}
      />
    )
  return (
    <CodeDialog
      key="code"
      title={t('factor.setUp')}
      text={t('factor.scanText')}
      confirm={t('factor.enable')}
      onConfirm={async (code) => {
        setCodes((await call(ownOperations.enableTotp, { body: { setup: setup.setup, code } })).codes)
        await refreshCall(ownOperations.getSecondFactor)
      }}
      onClose={onClose}
    >
      <img
        className={styles.picture}
        src={`data:image/svg+xml,${encodeURIComponent(setup.picture)}`}
        alt={t('factor.picture')}
        width={200}
        height={200}
      />
      <div className="row row-between well">
        <output aria-label={t('factor.secret')} className="mono wrap-anywhere">
          {setup.secret}
        </output>
        <CopyButton text={setup.secret} label={t('factor.copySecret')} />
      </div>
    </CodeDialog>
  )
}

export function RenewRecoveryCodesDialog({ factor, onClose }: ChangeDialogProps) {
  const { t } = useTranslation('account')
  const [codes, setCodes] = useState<readonly string[]>()
  if (codes) return <RecoveryCodesDialog codes={codes} onClose={onClose} />
  return (
    <CredentialsDialog
      factor={factor}
      title={t('factor.renew')}
      text={t('factor.renewText')}
      confirm={t('factor.renew')}
      onConfirm={async (proof) => {
        setCodes((await call(ownOperations.renewRecoveryCodes, { body: proof })).codes)
        await refreshCall(ownOperations.getSecondFactor)
      }}
      onClose={onClose}
    />
  )
}

export function RemoveSecondFactorDialog({ factor, onClose }: ChangeDialogProps) {
  const { t } = useTranslation('account')
  return (
    <CredentialsDialog
      factor={factor}
      title={t('factor.removeTitle')}
      text={t('factor.removeText')}
      confirm={t('factor.remove')}
      danger
      onConfirm={async (proof) => {
        await call(ownOperations.removeSecondFactor, { body: proof })
        await refreshCall(ownOperations.getSecondFactor)
        showToast({ tone: 'ok', title: t('factor.removed') })
        onClose()
      }}
      onClose={onClose}
    />
  )
}
