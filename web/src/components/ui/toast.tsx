import { lazy, Suspense } from 'react'
import { type ToastContent, useToasts } from '../../stores/toasts.ts'

/** Says that something was done elsewhere. Errors belong beside their cause, not here. */
export const toast = (content: ToastContent): string => useToasts.getState().add(content)

const Region = lazy(() => import('./toast-region.tsx').then((file) => ({ default: file.ToastRegion })))

/** Once in the application: the region where toasts appear (reached with F8); loaded with the first one. */
export function ToastRegion() {
  const used = useToasts((state) => state.used)
  return used ? (
    <Suspense>
      <Region />
    </Suspense>
  ) : null
}
