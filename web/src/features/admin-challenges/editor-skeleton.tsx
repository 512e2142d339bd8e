import { Skeleton } from '../../components/ui/skeleton.tsx'
import styles from './editor.module.css'

export function EditorSkeleton() {
  return (
    <div aria-hidden>
      <div className="stack below-4">
        <Skeleton width="240px" height="26px" />
        <Skeleton height="58px" />
      </div>
      <div className={styles.editor}>
        <Skeleton height="260px" />
        <Skeleton height="480px" />
      </div>
    </div>
  )
}
