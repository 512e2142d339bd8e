import type { ReactNode } from 'react'
import { create } from 'zustand'
import type { BloodPlace } from './blood-shape.ts'

type Tone = 'info' | 'ok' | 'warn' | 'bad'

export type ToastContent = Readonly<{
  title: ReactNode
  text?: ReactNode
  tone?: Tone
  /** The drop of a blood instead of the icon; the first one is larger and warm. */
  blood?: BloodPlace
  /** For example undo. */
  action?: { readonly label: string; readonly run: () => void }
  /** How long it stays, milliseconds; longer with an action. With `Infinity` it stays until it is dismissed. */
  lastsMs?: number
  /** Called when the user closes it, but not when the action does. */
  onDismiss?: () => void
}>

type ToastEntry = ToastContent &
  Readonly<{
    id: string
  }>

type ToastState = Readonly<{
  toasts: readonly ToastEntry[]
  /** There has been one. */
  used: boolean
  add: (toast: ToastContent) => string
  remove: (id: string) => void
}>

const maxToasts = 4

let made = 0

/** Toasts that leave by themselves make room first. */
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

/** Says that something was done elsewhere. Errors belong beside their cause, not here. */
export function toast(content: ToastContent): string {
  return useToasts.getState().add(content)
}
