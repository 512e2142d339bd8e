import { CopyButton } from '../ui/copy-button.tsx'
import styles from './instances.module.css'

export function CopyableCode({ text, label }: Readonly<{ text: string; label: string }>) {
  return (
    <div className={styles.copyable}>
      <code>{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  )
}
