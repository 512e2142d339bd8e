import type { Certificate, CertificatePicture } from '@capstan/contract/certificates'
import { Limits } from '@capstan/contract/limits'
import { ownOperations } from '@capstan/contract/operations'
import { Trash2 } from 'lucide-react'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { IconButton } from '../../components/ui/button.tsx'
import { cx } from '../../components/ui/cx.ts'
import { FileDrop } from '../../components/ui/file-drop.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Progress } from '../../components/ui/progress.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { call, upload } from '../../lib/http.ts'
import styles from './certificate.module.css'

type PictureFieldProps = Readonly<{
  gameId: number
  picture: CertificatePicture
  /** Address of the stored picture. Null if there is none. */
  address: string | null
  onChange: (stored: Certificate) => void
}>

/** Upload field for a picture of the certificates. The picture is stored immediately. */
export function CertificatePictureField({ gameId, picture, address, onChange }: PictureFieldProps) {
  const { t } = useTranslation('admin-certificate')
  const [share, setShare] = useState(0)
  const [isUnfit, setUnfit] = useState(false)
  const params = { id: gameId, picture }
  const name = t(`picture.${picture}`)
  const send = useAction(async (file: File) => {
    setShare(0)
    onChange(await upload(ownOperations.setCertificatePicture, { params, files: [file], onProgress: setShare }))
  })
  const remove = useAction(async () => onChange(await call(ownOperations.deleteCertificatePicture, { params })))
  const take = ([file]: readonly File[]) => {
    const isRefused = !file || file.size > Limits.maxImageBytes || !file.type.startsWith('image/')
    setUnfit(isRefused)
    if (!isRefused) void send.run(file)
  }
  const error = send.error ?? remove.error
  return (
    <section className="stack gap-2" aria-label={name}>
      <div className="row gap-2 row-between">
        <h3 className="small medium">{name}</h3>
        {address !== null && (
          <IconButton size="small" label={t('picture.remove', { name })} disabled={remove.busy} onClick={() => void remove.run()}>
            <Trash2 />
          </IconButton>
        )}
      </div>
      {address !== null && <img src={address} alt={name} className={cx('box self-start', styles.picture)} />}
      <FileDrop
        label={address === null ? t('picture.drop') : t('picture.replace')}
        hint={t(`picture.hint.${picture}`)}
        accept="image/*"
        disabled={send.busy}
        error={isUnfit ? t('picture.unfit') : error !== undefined && <ErrorText error={error} />}
        onFiles={take}
      />
      {send.busy && <Progress label={t('picture.progress')} value={share} />}
    </section>
  )
}
