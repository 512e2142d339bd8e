import type { ReactNode } from 'react'
import { create } from 'zustand'
import { getErrorTitle } from '../../lib/error-title.ts'
import type { BloodPlace } from './blood-shape.ts'

type Tone = 'info' | 'ok' | 'warn' | 'bad'

export type ToastContent = Readonly<{
  title: ReactNode
  text?: ReactNode
  tone?: Tone
  /**
   * Place of a first, second or third blood. The toast shows a blood mark instead of its icon. The toast of a first blood is
   * larger and has a warm color.
   */
  blood?: BloodPlace
  action?: Readonly<{ label: string; run: () => void }>
  /** Duration in ms. The default is longer for a toast with an action. `Infinity` shows the toast until the user dismisses it. */
  lastsMs?: number
  /** Function that is called when the user closes the toast. It is not called if the user runs the action of the toast. */
  onDismiss?: () => void
}>

type ToastEntry = ToastContent &
  Readonly<{
    id: string
  }>

type ToastState = Readonly<{
  toasts: readonly ToastEntry[]
  used: boolean
  add: (toast: ToastContent) => string
  remove: (id: string) => void
}>

const maxToasts = 4

let made = 0

/**
 * Makes room for one more toast. If there are too many toasts, drops the oldest temporary toast, or else the oldest toast.
 * @returns the remaining toasts
 */
function withRoom(toasts: readonly ToastEntry[]): readonly ToastEntry[] {
  if (toasts.length < maxToasts) return toasts
  const oldest = toasts.find(({ lastsMs }) => lastsMs !== Number.POSITIVE_INFINITY) ?? toasts[0]
  return toasts.filter((toast) => toast !== oldest)
}

export const useToasts = create<ToastState>()((set) => ({
  toasts: [],
  used: false,
  add: (toast) => {
    made += 1
    const id = String(made)
    set(({ toasts }) => ({ used: true, toasts: [...withRoom(toasts), { ...toast, id }] }))
    return id
  },
  remove: (id) => set(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) })),
}))

export function showToast(content: ToastContent): string {
  return useToasts.getState().add(content)
}

/** Shows an error in a toast. Use this function if no element of the page can show the error. */
export function showErrorToast(error: unknown): void {
  showToast({ tone: 'bad', title: getErrorTitle(error) })
}
