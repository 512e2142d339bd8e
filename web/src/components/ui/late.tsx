import { type ComponentType, lazy, useEffect, useLayoutEffect, useState } from 'react'
import { beginOpening } from '../../lib/opening.ts'

interface Wanted<Props> {
  /** Of the file, and of whatever else it needs; called when the part is shown first, and again after a failure. */
  readonly load: () => Promise<ComponentType<Props>>
  /** Shown until it is there. */
  readonly Meanwhile?: ComponentType
}

/**
 * A part whose file is loaded when it is shown, such as a dialog. As React's `lazy`, which throws what a load failed with, but shown
 * the moment it is loaded: what replaces a fallback of Suspense is held back for 300 ms.
 */
export function late<Props extends object>({ load, Meanwhile }: Wanted<Props>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  const Failing = lazy(async () => ({ default: await load() })) as unknown as ComponentType<Props>
  return function Late(props) {
    const [Part, setPart] = useState(() => loaded)
    useLayoutEffect(() => (Part ? undefined : beginOpening()), [Part])
    useEffect(() => {
      if (Part) return
      void load().then(
        (part) => {
          loaded = part
          setPart(() => part)
        },
        () => setPart(() => Failing),
      )
    }, [Part])
    if (Part) return <Part {...props} />
    return Meanwhile ? <Meanwhile /> : null
  }
}
