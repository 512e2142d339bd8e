import { cx } from '../../components/ui/cx.ts'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { TableSkeleton } from '../../components/ui/table-skeleton.tsx'
import { Toolbar } from '../../components/ui/toolbar.tsx'
import styles from './review.module.css'

export function ReviewSkeleton() {
  return (
    <div className="stack">
      <Toolbar search={<Skeleton height="var(--control)" />}>
        <Skeleton width="min(420px, 100%)" height="var(--control)" />
      </Toolbar>
      <div className={styles.layout}>
        <div className="stack gap-2">
          <div className={cx('row gap-2', styles.bulk)} />
          <TableSkeleton dense columns={['16px', '180px', '90px', '40px', '80px']} rows={12} />
        </div>
        <div className={styles.loadingDetails}>
          <Skeleton height="320px" />
        </div>
      </div>
    </div>
  )
}

export function WriteupsSkeleton() {
  return (
    <div className="stack">
      <Toolbar search={<Skeleton height="var(--control)" />} end={<Skeleton width="140px" height="var(--control)" />} />
      <div className={styles.writeups}>
        <TableSkeleton columns={['180px']} rows={8} />
        <Skeleton height="60vh" />
      </div>
    </div>
  )
}
