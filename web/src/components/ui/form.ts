import { operations } from '@capstan/contract/operations'
import { type FormEvent, type KeyboardEvent, type RefObject, useCallback, useEffect, useRef, useState } from 'react'
import { ApiError, TransportError } from '../../lib/http.ts'
import { refreshCall } from '../../lib/server-state.ts'

export type Action<Arguments extends readonly unknown[]> = Readonly<{
  /**
   * Runs the action unless it is already running.
   * @returns false if the action was already running or failed. After a failure, `error` contains the cause
   */
  run: (...args: Arguments) => Promise<boolean>
  busy: boolean
  error: unknown
  reset: () => void
}>

/**
 * Wraps an action. Returns its busy state and its error, which the caller shows next to the button. Form input stays unchanged.
 * After a response with status 401, the session is read again.
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
      if (error instanceof ApiError && error.httpStatus === 401) void refreshCall(operations.getOwnProfile)
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

export function createSubmitHandler(act: () => unknown) {
  return (event: FormEvent): void => {
    event.preventDefault()
    void act()
  }
}

/** Shows the first invalid field of a form, or the last error message if no field is invalid. */
function showFault(form: HTMLFormElement): void {
  const field = form.querySelector<HTMLElement>('[aria-invalid="true"]')
  const fault = field ?? [...form.querySelectorAll<HTMLElement>('[role="alert"]')].at(-1)
  const folded = fault?.closest('details')
  if (folded) folded.open = true
  field?.focus({ preventScroll: true })
  fault?.scrollIntoView({ block: 'center' })
}

/**
 * Returns the props of a form that may be longer than the window. After each submission, the form scrolls to the field or message
 * that says why it failed.
 */
export function useLongForm(act: () => unknown): Readonly<{
  ref: RefObject<HTMLFormElement | null>
  onSubmit: (event: FormEvent) => void
}> {
  const ref = useRef<HTMLFormElement>(null)
  const [submissions, setSubmissions] = useState(0)
  // The messages of a submission are on the page only after this render.
  useEffect(() => {
    if (submissions > 0 && ref.current) showFault(ref.current)
  }, [submissions])
  const submit = async () => {
    await act()
    setSubmissions((count) => count + 1)
  }
  return { ref, onSubmit: createSubmitHandler(submit) }
}

/** Handles keys of a multi-line text: Enter inserts a line break, and Ctrl or Cmd with Enter submits the form. */
export function submitOnCtrlEnter(event: KeyboardEvent<HTMLTextAreaElement>): void {
  if (event.key !== 'Enter' || !(event.ctrlKey || event.metaKey) || event.nativeEvent.isComposing) return
  event.preventDefault()
  event.currentTarget.form?.requestSubmit()
}
