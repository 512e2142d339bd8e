import { type ComponentType, useEffect, useState } from 'react'

/**
 * Tooltip layer, which loads when the user first moves the pointer or the focus. Browsers send `pointerover` events also for a
 * pointer that rests while the page appears, so these events do not load it.
 */
export function LazyTooltipLayer() {
  const [Layer, setLayer] = useState<ComponentType>()
  useEffect(() => {
    if (Layer) return
    const stop = new AbortController()
    const load = () =>
      void import('./tooltip-layer.tsx').then(
        (file) => setLayer(() => file.TooltipLayer),
        // If the import fails, the next movement tries again.
        () => undefined,
      )
    for (const sign of ['pointermove', 'focusin'])
      addEventListener(sign, load, { capture: true, passive: true, signal: stop.signal })
    return () => stop.abort()
  }, [Layer])
  return Layer ? <Layer /> : null
}
