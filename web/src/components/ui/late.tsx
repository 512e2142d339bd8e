import { type ComponentType, useEffect, useLayoutEffect, useState } from 'react'
import { loadFile } from '../../lib/load-file.ts'
import { beginOpening } from '../../lib/opening.ts'

export type FailedProps = Readonly<{
  onRetry: () => void
}>

/** Pause between two tries to load a part, ms. */
const retryMs = 5_000

type Wanted<Props> = Readonly<{
  /** Of the file, and of whatever else it needs; called when the part is shown first, and again after a failure. */
  load: () => Promise<ComponentType<Props>>
  /** Shown until it is there. */
  Meanwhile?: ComponentType
  /** Shown while it cannot be loaded. The load is retried every few seconds, when the connection returns, and on focus. */
  Failed?: ComponentType<Props & FailedProps>
}>

/**
 * A part whose file is loaded when it is shown, such as a dialog. As React's `lazy`, but shown the moment it is loaded: what replaces a
 * fallback of Suspense is held back for 300 ms. Without `Failed` it throws what the load failed with.
 */
export function late<Props extends object>({ load, Meanwhile, Failed }: Wanted<Props>): ComponentType<Props> {
  let loaded: ComponentType<Props> | undefined
  return function Late(props) {
    const [Part, setPart] = useState(() => loaded)
    const [tries, setTries] = useState(0)
    const [failure, setFailure] = useState<{ readonly error: unknown }>()
    useLayoutEffect(() => (Part || failure ? undefined : beginOpening()), [Part, failure])
    // biome-ignore lint/correctness/useExhaustiveDependencies: another try loads again
    useEffect(() => {
      if (Part) return
      void loadFile(load).then(
        (part) => {
          loaded = part
          setPart(() => part)
        },
        (error: unknown) => setFailure({ error }),
      )
    }, [Part, tries])
    const isWaiting = Failed !== undefined && failure !== undefined && !Part
    useEffect(() => {
      if (!isWaiting) return
      const retry = () => setTries((count) => count + 1)
      const stop = new AbortController()
      for (const sign of ['online', 'focus']) addEventListener(sign, retry, { signal: stop.signal })
      // A server that was away for a moment causes no event.
      const timer = setInterval(retry, retryMs)
      return () => {
        clearInterval(timer)
        stop.abort()
      }
    }, [isWaiting])
    if (Part) return <Part {...props} />
    if (!failure) return Meanwhile ? <Meanwhile /> : null
    if (!Failed) throw failure.error
    return <Failed {...props} onRetry={() => setTries(tries + 1)} />
  }
}
