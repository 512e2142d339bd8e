import { InputLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { FactorProof, Passkey, SecondFactor } from '@capstan/contract/second-factor'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Input } from '../../components/ui/input.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refreshCall } from '../../lib/server-state.ts'
import { createPasskey } from './passkey.ts'
import { CredentialsDialog } from './proof-dialog.tsx'
import { RecoveryCodesDialog } from './second-factor-dialogs.tsx'

export function PasskeyList({ factor }: { readonly factor: SecondFactor }) {
  const { t } = useTranslation('account')
  const heading = useId()
  const [adding, setAdding] = useState(false)
  const [removed, setRemoved] = useState<Passkey>()
  return (
    <section className="stack gap-2" aria-labelledby={heading}>
      <h3 id={heading}>{t('passkey.title')}</h3>
      {factor.passkeys.length > 0 && (
        <ul className="stack gap-2" aria-labelledby={heading}>
          {factor.passkeys.map((passkey) => (
            <li key={passkey.id} className="row row-between gap-2">
              <span className="row gap-2">
                <span className="wrap-anywhere">{passkey.name}</span>
                <span className="muted">
                  {passkey.lastUsedAt === null ? t('passkey.unused') : <RelativeTime at={passkey.lastUsedAt} />}
                </span>
              </span>
              <Button aria-label={t('passkey.removeNamed', passkey)} onClick={() => setRemoved(passkey)}>
                {t('passkey.remove')}
              </Button>
            </li>
          ))}
        </ul>
      )}
      {factor.canAddPasskeys ? (
        <div className="row">
          <Button onClick={() => setAdding(true)}>{t('passkey.add')}</Button>
        </div>
      ) : (
        <p className="muted">{t('passkey.noOrigin')}</p>
      )}
      {adding && <AddPasskeyDialog factor={factor} onClose={() => setAdding(false)} />}
      {removed && <RemovePasskeyDialog factor={factor} passkey={removed} onClose={() => setRemoved(undefined)} />}
    </section>
  )
}

type PasskeyDialogProps = Readonly<{ factor: SecondFactor; onClose: () => void }>

function AddPasskeyDialog({ factor, onClose }: PasskeyDialogProps) {
  const { t } = useTranslation('account')
  const [name, setName] = useState('')
  const [codes, setCodes] = useState<readonly string[]>()
  if (codes) return <RecoveryCodesDialog codes={codes} onClose={onClose} />
  const add = async (proof: FactorProof) => {
    const { options, setup } = await call(ownOperations.startPasskey, { body: proof })
    const answer = await createPasskey(options)
    const body = { setup, answer, name: name.trim() || t('passkey.defaultName') }
    const added = await call(ownOperations.addPasskey, { body })
    await refreshCall(ownOperations.getSecondFactor)
    showToast({ tone: 'ok', title: t('passkey.added') })
    if (added.codes.length > 0) setCodes(added.codes)
    else onClose()
  }
  return (
    <CredentialsDialog
      factor={factor}
      title={t('passkey.add')}
      text={t('passkey.addText')}
      confirm={t('factor.next')}
      onConfirm={add}
      onClose={onClose}
    >
      <Field label={t('passkey.name')} hint={t('passkey.nameHint')}>
        {(control) => (
          <Input
            {...control}
            value={name}
            placeholder={t('passkey.defaultName')}
            maxLength={InputLimits.maxPasskeyNameLength}
            onChange={(event) => setName(event.target.value)}
          />
        )}
      </Field>
    </CredentialsDialog>
  )
}

function RemovePasskeyDialog({ factor, passkey, onClose }: PasskeyDialogProps & { readonly passkey: Passkey }) {
  const { t } = useTranslation('account')
  return (
    <CredentialsDialog
      factor={factor}
      title={t('passkey.removeNamed', passkey)}
      text={t('passkey.removeText')}
      confirm={t('passkey.remove')}
      danger
      onConfirm={async (proof) => {
        await call(ownOperations.removePasskey, { params: { id: passkey.id }, body: proof })
        await refreshCall(ownOperations.getSecondFactor)
        showToast({ tone: 'ok', title: t('passkey.removed') })
        onClose()
      }}
      onClose={onClose}
    />
  )
}
