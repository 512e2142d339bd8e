import { CopyButton } from '../ui/copy-button.tsx'
import { cx } from '../ui/cx.ts'
import styles from './instances.module.css'

export function CopyableCode({ text, label }: Readonly<{ text: string; label: string }>) {
  return (
    <div className={cx('line gap-0 well', styles.copyable)}>
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  )
}
