import type { ReactNode } from 'react'
import { create } from 'zustand'
import type { BloodPlace } from './blood-shape.ts'

type Tone = 'info' | 'ok' | 'warn' | 'bad'

export interface ToastContent {
  readonly title: ReactNode
  readonly text?: ReactNode
  readonly tone?: Tone
  /** The drop of a blood instead of the icon; the first one is larger and warm. */
  readonly blood?: BloodPlace
  /** For example undo. */
  readonly action?: { readonly label: string; readonly run: () => void }
  /** How long it stays, milliseconds; longer with an action. */
  readonly lastsMs?: number
}

interface ToastEntry extends ToastContent {
  readonly id: string
}

interface ToastState {
  readonly toasts: readonly ToastEntry[]
  /** There has been one. */
  readonly used: boolean
  readonly add: (toast: ToastContent) => string
  readonly remove: (id: string) => void
}

let made = 0

export const useToasts = create<ToastState>()((set) => ({
  toasts: [],
  used: false,
  add: (toast) => {
    made += 1
    const id = String(made)
    set(({ toasts }) => ({ used: true, toasts: [...toasts.slice(-3), { ...toast, id }] }))
    return id
  },
  remove: (id) => set(({ toasts }) => ({ toasts: toasts.filter((toast) => toast.id !== id) })),
}))

/** Says that something was done elsewhere. Errors belong beside their cause, not here. */
export const toast = (content: ToastContent): string => useToasts.getState().add(content)
