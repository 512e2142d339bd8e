import { type ComponentType, useEffect, useLayoutEffect, useState } from 'react'
import { loadApplicationFile } from '../../lib/load-file.ts'
import { registerOpeningView } from '../../lib/opening.ts'
import { listenForRetries } from '../../lib/retry-signs.ts'

export type FailedProps = Readonly<{
  onRetry: () => void
}>

type Wanted<Props> = Readonly<{
  /** Loads the component and its dependencies. It is called on the first render, and again after a failure. */
  load: () => Promise<ComponentType<Props>>
  Fallback?: ComponentType
  /**
   * Fallback after a failed load. The load is retried every few seconds, when the connection returns, and when the window gets
   * the focus.
   */
  Failed?: ComponentType<Props & FailedProps>
}>

/**
 * Returns a component whose file loads on the first render, for example a dialog. Unlike React's `lazy`, the component does not use
 * Suspense, because Suspense would delay it by up to 300 ms. If there is no `Failed`, the component throws the load error.
 */
export function createLazyComponent<Props extends object>({ load, Fallback, Failed }: Wanted<Props>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return function Late(props) {
    const [Part, setPart] = useState(() => loaded)
    const [tries, setTries] = useState(0)
    const [failure, setFailure] = useState<{ readonly error: unknown }>()
    useLayoutEffect(() => (Part || failure ? undefined : registerOpeningView()), [Part, failure])
    // biome-ignore lint/correctness/useExhaustiveDependencies: a new attempt loads the file again
    useEffect(() => {
      if (Part) return
      void loadApplicationFile(load).then(
        (part) => {
          loaded = part
          setPart(() => part)
        },
        (error: unknown) => setFailure({ error }),
      )
    }, [Part, tries])
    const isWaiting = Failed !== undefined && failure !== undefined && !Part
    useEffect(() => (isWaiting ? listenForRetries(() => setTries((count) => count + 1)) : undefined), [isWaiting])
    if (Part) return <Part {...props} />
    if (!failure) return Fallback ? <Fallback /> : null
    if (!Failed) throw failure.error
    return <Failed {...props} onRetry={() => setTries(tries + 1)} />
  }
}
