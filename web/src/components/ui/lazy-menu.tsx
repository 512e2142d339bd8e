import {
  type ComponentType,
  cloneElement,
  createContext,
  lazy,
  type ReactElement,
  type ReactNode,
  Suspense,
  useState,
} from 'react'
import { loadApplicationFile } from '../../lib/load-file.ts'
import { registerOpeningView } from '../../lib/opening.ts'
import type { ButtonProps } from './button.tsx'

type Trigger = ReactElement<ButtonProps>
type Way = 'byKey' | 'byPointer'

/** True if the user opened the menu by key. */
export const OpenedByKey = createContext(false)

/**
 * Returns a menu whose file loads when the user is about to use the menu button.
 * @param load returns a component that shows `trigger` and an open menu
 */
export function createLazyMenu<Props extends { readonly trigger: ReactNode }>(
  load: () => Promise<ComponentType<Props>>,
): ComponentType<Omit<Props, 'trigger'> & { readonly trigger: Trigger }> {
  // Component that throws the load error when it is rendered, as other lazy components do.
  const Failing = lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props>
  const preload = () => void load().catch(() => undefined)
  return function LazyMenu(props) {
    const [opened, setOpened] = useState<Readonly<{ way: Way; Menu: ComponentType<Props> }>>()
    // The menu renders without Suspense, which would delay it by up to 300 ms.
    const open = (way: Way) => {
      const end = registerOpeningView()
      void loadApplicationFile(load)
        .catch(() => Failing)
        .then((Menu) => setOpened({ way, Menu }))
        .finally(end)
    }
    const button = cloneElement(props.trigger, {
      'aria-haspopup': 'menu',
      'aria-expanded': false,
      onPointerEnter: preload,
      onFocus: preload,
      // Enter and Space also cause click events. The `detail` of such an event is 0.
      onClick: ({ detail }) => open(detail === 0 ? 'byKey' : 'byPointer'),
      onKeyDown: (event) => {
        if (event.key !== 'ArrowDown') return
        event.preventDefault()
        open('byKey')
      },
    })
    if (!opened) return button
    return (
      <Suspense fallback={button}>
        <OpenedByKey value={opened.way === 'byKey'}>
          <opened.Menu {...(props as unknown as Props)} />
        </OpenedByKey>
      </Suspense>
    )
  }
}
