import { Tooltip as Radix } from 'radix-ui'
import type { ReactNode } from 'react'
import styles from './overlay.module.css'

interface TooltipProps {
  readonly content: ReactNode
  readonly side?: 'top' | 'right' | 'bottom' | 'left'
  /** One focusable element. */
  readonly children: ReactNode
}

/** Says more on hover and focus; never the only place of a fact. */
export function Tooltip({ content, side = 'top', children }: TooltipProps) {
  return (
    <Radix.Root>
      <Radix.Trigger asChild>{children}</Radix.Trigger>
      <Radix.Portal>
        <Radix.Content side={side} sideOffset={6} collisionPadding={8} className={styles.tooltip}>
          {content}
        </Radix.Content>
      </Radix.Portal>
    </Radix.Root>
  )
}

/** Once around the application. */
export const TooltipProvider = ({ children }: { readonly children: ReactNode }) => (
  <Radix.Provider delayDuration={350} skipDelayDuration={200}>
    {children}
  </Radix.Provider>
)
