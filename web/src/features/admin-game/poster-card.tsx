import type { AdminGame } from '@capstan/contract/games'
import { Limits } from '@capstan/contract/limits'
import { operations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Card } from '../../components/ui/card.tsx'
import { FileDrop } from '../../components/ui/file-drop.tsx'
import { useAction } from '../../components/ui/form.ts'
import { Progress } from '../../components/ui/progress.tsx'
import { ErrorText } from '../../components/ui/states.tsx'
import { showToast } from '../../components/ui/toast.ts'
import { upload } from '../../lib/http.ts'
import { refreshCall, setCallData } from '../../lib/server-state.ts'
import styles from './admin-game.module.css'

export function PosterCard({ game }: { readonly game: AdminGame }) {
  const { t } = useTranslation('admin-game')
  const [share, setShare] = useState(0)
  const [unfit, setUnfit] = useState(false)
  const params = { id: game.id }
  const send = useAction(async (file: File) => {
    setShare(0)
    const poster = await upload(operations.setGamePoster, { params, files: [file], onProgress: setShare })
    await setCallData([operations.adminGetGame, { params }], (known) => known && { ...known, poster })
    await refreshCall(operations.adminGetGame, { params })
    showToast({ tone: 'ok', title: t('poster.saved') })
  })
  const take = ([file]: readonly File[]) => {
    const isUnfit = !file || file.size > Limits.maxImageBytes || !file.type.startsWith('image/')
    setUnfit(isUnfit)
    if (!isUnfit) void send.run(file)
  }
  return (
    <Card title={t('poster.title')}>
      <div className="stack">
        {game.poster && <img src={game.poster} alt={t('poster.alt')} className={styles.poster} />}
        <FileDrop
          id="poster"
          label={game.poster ? t('poster.replace') : t('poster.drop')}
          hint={t('poster.hint')}
          accept="image/*"
          disabled={send.busy}
          error={unfit ? t('poster.unfit') : send.error !== undefined && <ErrorText error={send.error} />}
          onFiles={take}
        />
        {send.busy && <Progress label={t('poster.progress')} value={share} />}
      </div>
    </Card>
  )
}
