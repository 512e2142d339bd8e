import { lazy, Suspense } from 'react'
import { loadFile } from '../../lib/load-file.ts'
import { useToasts } from './toast.ts'

const ToastList = lazy(() => loadFile(() => import('./toast-list.tsx')).then((file) => ({ default: file.ToastList })))

/** Once in the application: the region where toasts appear (reached with F8); loaded with the first one. */
export function ToastRegion() {
  const used = useToasts((state) => state.used)
  return used ? (
    <Suspense>
      <ToastList />
    </Suspense>
  ) : null
}
