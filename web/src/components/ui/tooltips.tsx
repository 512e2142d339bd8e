import { type ComponentType, useEffect, useState } from 'react'

/** Tooltip layer, which loads on the first pointer or focus event. */
export function LazyTooltipLayer() {
  const [Layer, setLayer] = useState<ComponentType>()
  useEffect(() => {
    if (Layer) return
    const stop = new AbortController()
    const load = () =>
      void import('./tooltip-layer.tsx').then(
        (file) => setLayer(() => file.TooltipLayer),
        // If the import fails, the next pointer or focus event tries again.
        () => undefined,
      )
    for (const sign of ['pointerover', 'focusin'])
      addEventListener(sign, load, { capture: true, passive: true, signal: stop.signal })
    return () => stop.abort()
  }, [Layer])
  return Layer ? <Layer /> : null
}
