import { InputLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import type { Passkey, SecondFactor } from '@capstan/contract/second-factor'
import { useId, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Button } from '../../components/ui/button.tsx'
import { Field } from '../../components/ui/field.tsx'
import { Input } from '../../components/ui/input.tsx'
import { RelativeTime } from '../../components/ui/time.tsx'
import { toast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { refresh } from '../../lib/server-state.ts'
import { createPasskey } from './passkey.ts'
import { CodesDialog, OneFieldDialog } from './second-factor-dialogs.tsx'

/** Passkeys of the own account. */
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
      {adding && <AddPasskeyDialog onClose={() => setAdding(false)} />}
      {removed && <RemovePasskeyDialog passkey={removed} onClose={() => setRemoved(undefined)} />}
    </section>
  )
}

function AddPasskeyDialog({ onClose }: { readonly onClose: () => void }) {
  const { t } = useTranslation('account')
  const [name, setName] = useState('')
  const [codes, setCodes] = useState<readonly string[]>()
  if (codes) return <CodesDialog codes={codes} onClose={onClose} />
  const add = async (password: string) => {
    const { options, setup } = await call(ownOperations.startPasskey, { body: { password } })
    const answer = await createPasskey(options)
    const body = { setup, answer, name: name.trim() || t('passkey.defaultName') }
    const added = await call(ownOperations.addPasskey, { body })
    await refresh(ownOperations.getSecondFactor)
    toast({ tone: 'ok', title: t('passkey.added') })
    if (added.codes.length > 0) setCodes(added.codes)
    else onClose()
  }
  return (
    <OneFieldDialog
      field="password"
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
    </OneFieldDialog>
  )
}

function RemovePasskeyDialog({ passkey, onClose }: { readonly passkey: Passkey; readonly onClose: () => void }) {
  const { t } = useTranslation('account')
  return (
    <OneFieldDialog
      field="password"
      title={t('passkey.removeNamed', passkey)}
      text={t('passkey.removeText')}
      confirm={t('passkey.remove')}
      danger
      onConfirm={async (password) => {
        await call(ownOperations.removePasskey, { params: { id: passkey.id }, body: { password } })
        await refresh(ownOperations.getSecondFactor)
        toast({ tone: 'ok', title: t('passkey.removed') })
        onClose()
      }}
      onClose={onClose}
    />
  )
}
