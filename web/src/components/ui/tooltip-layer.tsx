import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import styles from './overlay.module.css'
import { tellers, toldBy } from './tooltip.tsx'
import { placeOf, type Side } from './tooltip-place.ts'

const openDelayMs = 350
/** Time after a tooltip in which the next one opens immediately, in ms. */
const warmMs = 200
/** Time to move the pointer from the element onto its tooltip, in ms. */
const leaveMs = 100

function tellerOf(target: EventTarget | null) {
  return target instanceof Element ? (target.closest<HTMLElement>(tellers) ?? undefined) : undefined
}

/** Shows the `Tooltip` of the element under the pointer or with the focus. Rendered once for all of them. */
export function TooltipLayer() {
  const id = useId()
  const bubble = useRef<HTMLDivElement>(null)
  const [teller, setTeller] = useState<HTMLElement>()

  useEffect(() => watchTellers(() => bubble.current, setTeller), [])

  useLayoutEffect(() => {
    const element = bubble.current
    if (!teller || !element) return
    const side = (teller.dataset.tooltipSide ?? 'top') as Side
    const { left, top } = placeOf(side, teller.getBoundingClientRect(), element.getBoundingClientRect(), {
      width: document.documentElement.clientWidth,
      height: innerHeight,
    })
    element.style.translate = `${Math.round(left)}px ${Math.round(top)}px`
  }, [teller])

  // A tooltip that repeats the name is not announced again.
  useEffect(() => {
    if (!teller || teller.hasAttribute('aria-describedby') || teller.getAttribute('aria-label') === toldBy(teller)) return
    teller.setAttribute('aria-describedby', id)
    return () => teller.removeAttribute('aria-describedby')
  }, [teller, id])

  if (!teller) return null
  return createPortal(
    <div ref={bubble} id={id} role="tooltip" className={styles.tooltip}>
      {toldBy(teller)}
    </div>,
    document.body,
  )
}

/**
 * Watches pointer and focus.
 * @returns a function that stops it
 */
function watchTellers(bubble: () => HTMLElement | null, show: (teller: HTMLElement | undefined) => void): () => void {
  const stop = new AbortController()
  let shown: HTMLElement | undefined
  let closedAt = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  /** A pressed element shows no tooltip until the pointer leaves it. */
  let pressed: HTMLElement | undefined

  const put = (teller: HTMLElement | undefined) => {
    clearTimeout(timer)
    if (shown && !teller) closedAt = performance.now()
    shown = teller?.isConnected ? teller : undefined
    show(shown)
  }
  const later = (teller: HTMLElement | undefined, ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => put(teller), ms)
  }
  const over = ({ target, pointerType }: PointerEvent) => {
    if (pointerType === 'touch') return
    const teller = tellerOf(target)
    if (teller !== pressed) pressed = undefined
    if (teller && teller === shown) return clearTimeout(timer)
    if (teller && teller !== pressed) return later(teller, shown || performance.now() - closedAt < warmMs ? 0 : openDelayMs)
    if (target instanceof Node && bubble()?.contains(target)) return clearTimeout(timer)
    if (shown) later(undefined, leaveMs)
    else clearTimeout(timer)
  }
  const listen = <Name extends keyof WindowEventMap>(name: Name, act: (event: WindowEventMap[Name]) => void) =>
    addEventListener(name, act, { signal: stop.signal, capture: true, passive: true })
  listen('pointerover', over)
  listen('pointerdown', ({ target }) => {
    pressed = tellerOf(target)
    put(undefined)
  })
  listen('focusin', ({ target }) => {
    const teller = tellerOf(target)
    if (teller && teller !== pressed && teller === target && teller.matches(':focus-visible')) put(teller)
  })
  listen('focusout', ({ target }) => target === shown && put(undefined))
  listen('click', () => put(undefined))
  listen('scroll', ({ target }) => shown && target instanceof Node && target.contains(shown) && put(undefined))
  listen('keydown', (event) => {
    if (event.key !== 'Escape' || !shown) return
    // Escape closes only the tooltip; a dialog below stays.
    event.stopPropagation()
    put(undefined)
  })
  // Starts with the element under the pointer or with the focus, because this file loads with the first event.
  const focused = document.activeElement
  if (focused instanceof HTMLElement && focused.matches(tellers) && focused.matches(':focus-visible')) put(focused)
  else
    later(
      [...document.querySelectorAll<HTMLElement>(tellers)].findLast((each) => each.matches(':hover')),
      openDelayMs,
    )
  return () => {
    stop.abort()
    clearTimeout(timer)
  }
}
