import { Skeleton } from '../../components/ui/skeleton.tsx'
import styles from './editor.module.css'

/** The editor while it is being loaded. */
export const EditorSkeleton = () => (
  <div aria-hidden>
    <div className={styles.top}>
      <Skeleton width="240px" height="26px" />
      <Skeleton height="58px" />
    </div>
    <div className={styles.editor}>
      <div className="stack">
        <Skeleton height="420px" />
        <Skeleton height="160px" />
      </div>
      <Skeleton height="420px" />
    </div>
  </div>
)
