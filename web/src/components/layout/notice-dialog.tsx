import { useState } from 'react'
import { useTranslation } from 'react-i18next'
import { playBloodSound, playNoticeSound } from '../../lib/notice-sound.ts'
import { useNoticeAlerts } from '../../stores/notice-alerts.ts'
import { Dialog } from '../ui/dialog.tsx'
import { Switch } from '../ui/field.tsx'

type Permission = NotificationPermission | 'missing'

function readPermission(): Permission {
  return typeof Notification === 'undefined' ? 'missing' : Notification.permission
}

/**
 * Settings for sounds and for notifications outside of the page. The browser asks for permission only when the user turns the
 * switch on.
 */
export function NoticeSettingsDialog({ open, onClose }: Readonly<{ open: boolean; onClose: () => void }>) {
  const { t } = useTranslation()
  const { sound, desktop, moments, setSound, setDesktop, setMoments } = useNoticeAlerts()
  const [permission, setPermission] = useState(readPermission)
  const changeSound = (wanted: boolean) => {
    setSound(wanted)
    if (wanted) void playNoticeSound().catch(() => undefined)
  }
  const changeMoments = (wanted: boolean) => {
    setMoments(wanted)
    if (wanted) void playBloodSound().catch(() => undefined)
  }
  const changeDesktop = async (wanted: boolean) => {
    if (!wanted) return setDesktop(false)
    const answer = await Notification.requestPermission()
    setPermission(answer)
    setDesktop(answer === 'granted')
  }
  const isRefused = permission === 'denied' || permission === 'missing'
  return (
    <Dialog open={open} onOpenChange={onClose} title={t('alerts.label')} description={t('alerts.text')}>
      <div className="stack">
        <Switch label={t('alerts.moments')} hint={t('alerts.momentsHint')} checked={moments} onCheckedChange={changeMoments} />
        <Switch label={t('alerts.sound')} hint={t('alerts.soundHint')} checked={sound} onCheckedChange={changeSound} />
        <Switch
          label={t('alerts.desktop')}
          hint={isRefused ? t(`alerts.${permission}`) : t('alerts.desktopHint')}
          checked={desktop && permission === 'granted'}
          disabled={isRefused}
          onCheckedChange={(wanted) => void changeDesktop(wanted)}
        />
      </div>
    </Dialog>
  )
}
