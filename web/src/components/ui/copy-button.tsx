import { Check, Copy } from 'lucide-react'
import { type MouseEvent, useEffect, useState } from 'react'
import { useTranslation } from 'react-i18next'
import { copyText } from '../../lib/clipboard.ts'
import { Button, IconButton } from './button.tsx'
import styles from './display.module.css'
import { announceToScreenReaders } from './live-region.tsx'
import { showToast } from './toast.ts'

type CopyButtonProps = Readonly<{
  text: string
  label?: string
  /** True to show the label as text next to the icon. */
  withText?: boolean
}>

export function CopyButton({ text, label, withText }: CopyButtonProps) {
  const { t } = useTranslation()
  const [copied, setCopied] = useState(false)
  useEffect(() => {
    if (!copied) return
    const timer = setTimeout(() => setCopied(false), 1600)
    return () => clearTimeout(timer)
  }, [copied])
  const copy = async (button: HTMLElement) => {
    try {
      await copyText(text, button)
    } catch {
      showToast({ title: t('copy.failed'), text, tone: 'bad' })
      return
    }
    setCopied(true)
    announceToScreenReaders(t('copy.done'))
  }
  const name = label ?? t('copy.action')
  const icon = copied ? <Check /> : <Copy />
  const onClick = (event: MouseEvent<HTMLElement>) => void copy(event.currentTarget)
  const className = copied ? styles.copied : undefined
  return withText ? (
    <Button size="small" onClick={onClick} className={className}>
      {icon}
      {copied ? t('copy.done') : name}
    </Button>
  ) : (
    <IconButton size="small" label={copied ? t('copy.done') : name} onClick={onClick} className={className}>
      {icon}
    </IconButton>
  )
}
