import { type ComponentProps, lazy, Suspense } from 'react'
import { Skeleton } from '../../components/ui/skeleton.tsx'
import { loadApplicationFile } from '../../lib/load-file.ts'

const Loaded = lazy(() => loadApplicationFile(() => import('./post-menu.tsx')).then((file) => ({ default: file.PostMenu })))

/** Menu of a post. It is lazy, because only admins need it. */
export function PostMenu(props: ComponentProps<typeof Loaded>) {
  return (
    <Suspense fallback={<Skeleton width="36px" height="36px" />}>
      <Loaded {...props} />
    </Suspense>
  )
}
