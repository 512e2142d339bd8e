import { lazy, Suspense } from 'react'
import { loadApplicationFile } from '../../lib/load-file.ts'
import { useToasts } from './toast.ts'

const ToastList = lazy(() => loadApplicationFile(() => import('./toast-list.tsx')).then((file) => ({ default: file.ToastList })))

/** Region that contains the toasts, and that F8 focuses. It loads with the first toast. The application renders it once. */
export function ToastRegion() {
  const used = useToasts((state) => state.used)
  return used ? (
    <Suspense>
      <ToastList />
    </Suspense>
  ) : null
}
