import { CopyButton } from '../ui/copy-button.tsx'
import styles from './instances.module.css'

export function CopyableCode({ text, label }: { readonly text: string; readonly label: string }) {
  return (
    <div className={styles.copyable}>
      {/* biome-ignore lint/a11y/noNoninteractiveTabindex: a line that scrolls must be reachable by keyboard */}
      <code tabIndex={0}>{text}</code>
      <CopyButton text={text} label={label} />
    </div>
  )
}
