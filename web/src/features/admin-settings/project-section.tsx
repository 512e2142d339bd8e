import { InputLimits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { useDraft } from '../../components/editing/use-draft.ts'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { Field } from '../../components/ui/field.tsx'
import { createSubmitHandler, useAction } from '../../components/ui/form.ts'
import { Input } from '../../components/ui/input.tsx'
import { toFormRefusal } from '../../components/ui/refusal.tsx'
import { ErrorState } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { call } from '../../lib/http.ts'
import { setCallData, useCall } from '../../lib/server-state.ts'
import styles from './settings.module.css'

function isAddress(text: string): boolean {
  return /^https?:\/\/\S+$/.test(text) && URL.canParse(text)
}

/** Form for the address of the source repository. Operators of a fork can change this address. A separate call saves it. */
export function ProjectSection() {
  const { t } = useTranslation(['admin-settings', 'editing'])
  const { data, error, mutate } = useCall(ownOperations.getProjectLinks, undefined, { refreshInterval: 0 })
  const [isSent, setIsSent] = useState(false)
  const stored = data?.repositoryUrl ?? ''
  const draft = useDraft('project', { repositoryUrl: stored })
  const address = draft.value.repositoryUrl
  const wanted = address.trim()
  const isFit = wanted === '' || isAddress(wanted)
  const save = useAction(async () => {
    const saved = await call(ownOperations.setProjectLinks, { body: { repositoryUrl: wanted === '' ? null : wanted } })
    await setCallData([ownOperations.getProjectLinks], saved)
    draft.discard()
    setIsSent(false)
    showToast({ tone: 'ok', title: t('admin-settings:project.saved') })
  })
  const submit = () => {
    setIsSent(true)
    return isFit ? save.run() : undefined
  }
  const refusal = toFormRefusal(save.error, ['repositoryUrl'])
  return (
    <Card id="project" title={t('admin-settings:project.title')} className={styles.section}>
      <p className={cx('muted', styles.lead)}>{t('admin-settings:project.text')}</p>
      {error && !data ? (
        <ErrorState error={error} onRetry={() => mutate()} />
      ) : (
        <form className="stack" noValidate onSubmit={createSubmitHandler(submit)}>
          <Field
            label={t('admin-settings:project.repository')}
            hint={t('admin-settings:project.hint')}
            error={isSent && !isFit ? t('admin-settings:project.invalid') : refusal.of('repositoryUrl')}
            optional
          >
            {(control) => (
              <Input
                {...control}
                type="url"
                inputMode="url"
                autoComplete="off"
                spellCheck={false}
                placeholder="https://"
                disabled={!data}
                value={address}
                maxLength={InputLimits.maxUrlLength}
                onChange={(event) => {
                  draft.set({ repositoryUrl: event.target.value })
                  save.reset()
                }}
              />
            )}
          </Field>
          {refusal.rest}
          <div className="row">
            <Button type="submit" busy={save.busy} disabled={!data || wanted === stored}>
              {t('admin-settings:project.save')}
            </Button>
          </div>
        </form>
      )}
    </Card>
  )
}
