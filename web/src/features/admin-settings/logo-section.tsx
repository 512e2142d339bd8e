import { Limits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { CapstanLogo } from '../../components/mark.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { cx } from '../../components/ui/cx.ts'
import { ConfirmationDialog } from '../../components/ui/dialog.tsx'
import { FileDrop } from '../../components/ui/file-drop.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Progress } from '../../components/ui/progress.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { useConfig } from '../../lib/config.ts'
import { call, upload } from '../../lib/http.ts'
import { refreshCall } from '../../lib/server-state.ts'
import styles from './settings.module.css'

function reread() {
  return Promise.all([refreshCall(operations.getClientConfig), refreshCall(operations.getSettings)])
}

/** Logo and icon. Changes take effect immediately and are not part of the form. */
export function LogoSection() {
  const { t } = useTranslation('admin-settings')
  const { logoUrl } = useConfig()
  const [share, setShare] = useState(0)
  const [isTooLarge, setIsTooLarge] = useState(false)
  const [asking, setAsking] = useState(false)
  const send = useAction(async (file: File) => {
    setShare(0)
    await upload(operations.setLogo, { files: [file], onProgress: setShare })
    await reread()
    showToast({ tone: 'ok', title: t('logo.saved') })
  })
  const reset = useAction(async () => {
    await call(operations.resetLogo)
    await reread()
    setAsking(false)
    showToast({ tone: 'ok', title: t('logo.resetDone') })
  })
  const choose = (file: File | undefined) => {
    if (!file) return
    send.reset()
    const unfit = file.size > Limits.maxImageBytes || !file.type.startsWith('image/')
    setIsTooLarge(unfit)
    if (!unfit) void send.run(file)
  }
  return (
    <Card
      id="logo"
      title={t('logo.title')}
      className={styles.section}
      actions={
        logoUrl && (
          <Button size="small" onClick={() => setAsking(true)}>
            {t('logo.reset')}
          </Button>
        )
      }
    >
      <p className={cx('muted', styles.lead)}>{t('logo.text')}</p>
      <div className="row gap-5">
        <figure className="stack gap-2 centered">
          <span className={cx('well', styles.logoBox)}>
            {logoUrl ? <img src={logoUrl} alt={t('logo.own')} /> : <CapstanLogo size={56} />}
          </span>
          <figcaption className="tiny muted">{logoUrl ? t('logo.logoOn') : t('logo.builtIn')}</figcaption>
        </figure>
        <div className="stack gap-2 grow">
          <FileDrop
            label={t('logo.drop')}
            hint={t('logo.hint')}
            accept="image/*"
            disabled={send.busy}
            error={isTooLarge ? t('logo.tooLarge') : send.error !== undefined ? <ErrorText error={send.error} /> : undefined}
            onFiles={([file]) => choose(file)}
          />
          {send.busy && <Progress label={t('logo.progress')} value={share} />}
        </div>
      </div>
      <ConfirmationDialog
        open={asking}
        onOpenChange={setAsking}
        title={t('logo.resetTitle')}
        description={t('logo.resetText')}
        confirm={t('logo.reset')}
        busy={reset.busy}
        error={reset.error !== undefined ? <ErrorText error={reset.error} /> : undefined}
        onConfirm={() => void reset.run()}
      />
    </Card>
  )
}
