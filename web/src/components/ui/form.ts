import { operations } from '@capstan/contract/operations'
import { type FormEvent, type KeyboardEvent, useCallback, useRef, useState } from 'react'
import { ApiError, TransportError } from '../../lib/http.ts'
import { refresh } from '../../lib/server-state.ts'

export type Action<Arguments extends readonly unknown[]> = Readonly<{
  /** Runs it once at a time. True: done. False: failed (see `error`) or already running. */
  run: (...args: Arguments) => Promise<boolean>
  busy: boolean
  error: unknown
  reset: () => void
}>

/**
 * A change with its busy state and its failure, to be shown beside the button. Input is never touched. After
 * an answer 401 the session is read again.
 */
export function useAction<Arguments extends readonly unknown[]>(
  perform: (...args: Arguments) => Promise<unknown>,
): Action<Arguments> {
  const [state, setState] = useState<{ busy: boolean; error: unknown }>({ busy: false, error: undefined })
  const running = useRef(false)
  const latest = useRef(perform)
  latest.current = perform
  const run = useCallback(async (...args: Arguments) => {
    if (running.current) return false
    running.current = true
    setState({ busy: true, error: undefined })
    try {
      await latest.current(...args)
      setState({ busy: false, error: undefined })
      return true
    } catch (error) {
      if (error instanceof ApiError && error.httpStatus === 401) void refresh(operations.getOwnProfile)
      const cancelled = error instanceof TransportError && error.kind === 'aborted'
      setState({ busy: false, error: cancelled ? undefined : error })
      return false
    } finally {
      running.current = false
    }
  }, [])
  const reset = useCallback(() => setState({ busy: false, error: undefined }), [])
  return { run, ...state, reset }
}

/** Handler of a form's submit that never leaves the page. */
export function onSubmit(act: () => unknown) {
  return (event: FormEvent): void => {
    event.preventDefault()
    void act()
  }
}

/** Key handler of a text of several lines: Enter begins a line, Ctrl or Cmd with Enter sends the form. */
export function submitOnModEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}
