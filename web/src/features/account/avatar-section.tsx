import type { UserProfile } from '@capstan/contract/accounts'
import { operations } from '@capstan/contract/operations'
import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { Avatar } from '../../components/ui/avatar.tsx'
import { AvatarDialog } from '../../components/ui/avatar-dialog.tsx'
import { Button } from '../../components/ui/button.tsx'
import { Card } from '../../components/ui/card.tsx'
import { upload } from '../../lib/http.ts'
import { refreshCall } from '../../lib/server-state.ts'
import styles from './account.module.css'

export function AvatarSection({ profile }: { readonly profile: UserProfile }) {
  const { t } = useTranslation('account')
  const [open, setOpen] = useState(false)
  return (
    <Card>
      <div className="row">
        <Avatar name={profile.userName} src={profile.avatar} size={64} />
        <div className={styles.identity}>
          <h2 className="truncate">{profile.userName}</h2>
          <p className="muted truncate">{profile.email}</p>
        </div>
        <Button onClick={() => setOpen(true)}>{t('profile.avatarChange')}</Button>
      </div>
      {open && <AvatarDialog title={t('profile.avatarChange')} onSave={saveAvatar} onClose={() => setOpen(false)} />}
    </Card>
  )
}

async function saveAvatar(file: File, onProgress: (share: number) => void): Promise<void> {
  await upload(operations.setOwnAvatar, { files: [file], onProgress })
  await refreshCall(operations.getOwnProfile)
}
