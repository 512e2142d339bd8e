import { type ComponentType, cloneElement, lazy, type ReactElement, type ReactNode, Suspense, useState } from 'react'
import type { ButtonProps } from './button.tsx'

type Trigger = ReactElement<ButtonProps>

/**
 * A menu whose file is loaded when its button is about to be used.
 * @param load gives a component that shows `trigger` with its menu open from the start
 */
export function lazyMenu<Props extends { readonly trigger: ReactNode }>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Omit<Props, 'trigger'> & { readonly trigger: Trigger }> {
  const Menu = lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props>
  const preload = () => void load().catch(() => undefined)
  return function LazyMenu(props) {
    const [isWanted, setWanted] = useState(false)
    const button = cloneElement(props.trigger, {
      'aria-haspopup': 'menu',
      'aria-expanded': false,
      onPointerEnter: preload,
      onFocus: preload,
      onClick: () => setWanted(true),
    })
    if (!isWanted) return button
    return (
      <Suspense fallback={button}>
        <Menu {...(props as unknown as Props)} />
      </Suspense>
    )
  }
}
