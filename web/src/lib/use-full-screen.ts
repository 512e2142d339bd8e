import { type RefObject, useEffect, useRef } from 'react'

/**
 * Shows an element in full screen while the component is mounted, and prevents the screen from turning off. The page behind the
 * element is inert. `onLeave` is called when full screen ends. If the browser does not allow full screen, Escape also calls
 * `onLeave`.
 */
export function useFullScreen(onLeave: () => void): RefObject<HTMLDivElement | null> {
  const frame = useRef<HTMLDivElement>(null)
  const leave = useRef(onLeave)
  leave.current = onLeave
  useEffect(() => {
    const element = frame.current
    const page = document.getElementById('root')
    page?.setAttribute('inert', '')
    let entered = false
    let isUnmounted = false
    let awake: { release(): Promise<void> } | undefined
    const entry = element?.requestFullscreen?.().then(
      () => {
        entered = true
      },
      // The browser may refuse, for example inside a frame. The element still covers the window.
      () => undefined,
    )
    const stayAwake = () =>
      void navigator.wakeLock?.request('screen').then(
        (lock) => {
          if (isUnmounted) void lock.release()
          else awake = lock
        },
        () => undefined,
      )
    stayAwake()
    // Request the wake lock again when the page becomes visible, because the browser releases the lock of a hidden page.
    const onVisibility = () => document.visibilityState === 'visible' && stayAwake()
    document.addEventListener('visibilitychange', onVisibility)
    const onChange = () => entered && !document.fullscreenElement && leave.current()
    const onKey = (event: KeyboardEvent) => event.key === 'Escape' && leave.current()
    document.addEventListener('fullscreenchange', onChange)
    addEventListener('keydown', onKey)
    return () => {
      isUnmounted = true
      document.removeEventListener('visibilitychange', onVisibility)
      document.removeEventListener('fullscreenchange', onChange)
      removeEventListener('keydown', onKey)
      page?.removeAttribute('inert')
      void awake?.release()
      void entry?.then(() => document.fullscreenElement && document.exitFullscreen())
    }
  }, [])
  return frame
}
