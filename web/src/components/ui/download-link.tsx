import { type ComponentProps, type MouseEvent, useState } from 'react'
import { downloadSiteFile } from '../../lib/download.ts'
import { i18n } from '../../lib/i18n.ts'
import { ButtonAnchor } from './button.tsx'
import styles from './controls.module.css'
import { cx } from './cx.ts'
import { ErrorText } from './states.tsx'
import { showToast } from './toast.ts'

/** Saves a file of this site. If the download fails, it shows the reason and offers a retry. */
export async function downloadFile(address: string, name = ''): Promise<void> {
  try {
    await downloadSiteFile(address, name)
  } catch (error) {
    showToast({
      tone: 'bad',
      title: i18n.t('download.failed'),
      text: <ErrorText error={error} />,
      action: { label: i18n.t('action.retry'), run: () => void downloadFile(address, name) },
    })
  }
}

function isPlainClick(event: MouseEvent) {
  return event.button === 0 && !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey
}

/** Returns a click handler that downloads the file. The handler ignores clicks with modifier keys, which the browser handles. */
function useDownload(href: string, name: string) {
  const [busy, setBusy] = useState(false)
  const onClick = (event: MouseEvent<HTMLAnchorElement>) => {
    if (!isPlainClick(event)) return
    event.preventDefault()
    if (busy) return
    setBusy(true)
    void downloadFile(href, name).finally(() => setBusy(false))
  }
  return { onClick, 'aria-busy': busy || undefined }
}

type FileProps = Readonly<{
  href: string
  name?: string
}>

export function DownloadLink({ href, name = '', ...rest }: Omit<ComponentProps<'a'>, 'download' | 'onClick'> & FileProps) {
  return <a {...rest} href={href} download={name} {...useDownload(href, name)} />
}

/** Download link for a file of this site. It is styled as a button. */
export function DownloadButton({
  href,
  name = '',
  className,
  ...rest
}: Omit<ComponentProps<typeof ButtonAnchor>, 'download' | 'onClick'> & FileProps) {
  const download = useDownload(href, name)
  return (
    <ButtonAnchor
      {...rest}
      href={href}
      download={name}
      {...download}
      className={cx(className, download['aria-busy'] && styles.busy)}
    />
  )
}
