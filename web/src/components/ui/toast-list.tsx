import { CircleAlert, CircleCheck, Info, TriangleAlert, X } from 'lucide-react'
import { Toast as Radix } from 'radix-ui'
import { useTranslation } from 'react-i18next'
import { BloodMark } from './blood-mark.tsx'
import { Button, IconButton } from './button.tsx'
import styles from './overlay.module.css'
import { useToasts } from './toast.ts'

const icons = { info: Info, ok: CircleCheck, warn: TriangleAlert, bad: CircleAlert } as const

export function ToastList() {
  const { t } = useTranslation()
  const toasts = useToasts((state) => state.toasts)
  const remove = useToasts((state) => state.remove)
  return (
    <Radix.Provider label={t('toast.one')} swipeDirection="right">
      {toasts.map(({ id, title, text, tone = 'info', blood, action, lastsMs, onDismiss }) => {
        const Icon = icons[tone]
        const isLasting = lastsMs === Number.POSITIVE_INFINITY
        const button = action && (
          <Radix.Action asChild altText={action.label}>
            <Button size="small" onClick={action.run}>
              {action.label}
            </Button>
          </Radix.Action>
        )
        return (
          <Radix.Root
            key={id}
            className={styles.toast}
            data-blood={blood}
            // Makes screen readers finish their sentence before they announce the toast.
            {...((blood || isLasting) && { type: 'background' as const })}
            duration={lastsMs ?? (action ? 10_000 : 5_000)}
            onOpenChange={(open) => !open && remove(id)}
            {...(onDismiss && { onSwipeEnd: onDismiss })}
            ref={(element) => {
              element?.style.setProperty('--tone', tone === 'info' ? 'var(--brand-11)' : `var(--${tone})`)
            }}
          >
            {blood ? <BloodMark place={blood} size={blood === 1 ? 30 : 20} /> : <Icon aria-hidden />}
            <div className="grow">
              <Radix.Title className="medium wrap-anywhere">{title}</Radix.Title>
              {text && (
                <Radix.Description className={`clamp wrap-anywhere muted small ${styles.toastText}`}>{text}</Radix.Description>
              )}
              {isLasting && button && <div className="above-2">{button}</div>}
            </div>
            {!isLasting && button}
            <Radix.Close asChild>
              <IconButton size="small" label={t('action.close')} onClick={onDismiss}>
                <X />
              </IconButton>
            </Radix.Close>
          </Radix.Root>
        )
      })}
      <Radix.Viewport className={`stack gap-2 ${styles.toasts}`} label={t('toast.region', { hotkey: '{hotkey}' })} />
    </Radix.Provider>
  )
}
