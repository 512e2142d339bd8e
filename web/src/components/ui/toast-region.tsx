import { lazy, Suspense } from 'react'
import { loadFile } from '../../lib/load-file.ts'
import { useToasts } from './toast.ts'

const ToastList = lazy(() => loadFile(() => import('./toast-list.tsx')).then((file) => ({ default: file.ToastList })))

/** Region of the toasts, reached with F8. It loads with the first one and is rendered once in the application. */
export function ToastRegion() {
  const used = useToasts((state) => state.used)
  return used ? (
    <Suspense>
      <ToastList />
    </Suspense>
  ) : null
}
