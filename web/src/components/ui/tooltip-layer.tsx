import { useEffect, useId, useLayoutEffect, useRef, useState } from 'react'
import { createPortal } from 'react-dom'
import styles from './overlay.module.css'
import { findTooltipOfElement, tooltipSelector } from './tooltip.tsx'
import { type Side, tooltipPosition } from './tooltip-place.ts'

const openDelayMs = 350
/** Time after the closing of a tooltip during which the next tooltip opens immediately, in ms. */
const warmMs = 200
/** Time that the user has to move the pointer from the element onto its tooltip, in ms. */
const leaveMs = 100

function anchorOf(target: EventTarget | null) {
  return target instanceof Element ? (target.closest<HTMLElement>(tooltipSelector) ?? undefined) : undefined
}

/** Shows the `Tooltip` of the element that has the pointer or the focus. One layer serves all elements. */
export function TooltipLayer() {
  const id = useId()
  const bubble = useRef<HTMLDivElement>(null)
  const [anchor, setAnchor] = useState<HTMLElement>()

  useEffect(() => watchAnchors(() => bubble.current, setAnchor), [])

  useLayoutEffect(() => {
    const element = bubble.current
    if (!anchor || !element) return
    const side = (anchor.dataset.tooltipSide ?? 'top') as Side
    const { left, top } = tooltipPosition(side, anchor.getBoundingClientRect(), element.getBoundingClientRect(), {
      width: document.documentElement.clientWidth,
      height: innerHeight,
    })
    element.style.translate = `${Math.round(left)}px ${Math.round(top)}px`
  }, [anchor])

  // If the tooltip equals the accessible name, screen readers must not announce it again.
  useEffect(() => {
    if (!anchor || anchor.hasAttribute('aria-describedby') || anchor.getAttribute('aria-label') === findTooltipOfElement(anchor))
      return
    anchor.setAttribute('aria-describedby', id)
    return () => anchor.removeAttribute('aria-describedby')
  }, [anchor, id])

  if (!anchor) return null
  return createPortal(
    <div ref={bubble} id={id} role="tooltip" className={styles.tooltip}>
      {findTooltipOfElement(anchor)}
    </div>,
    document.body,
  )
}

/**
 * Watches pointer and focus.
 * @returns a function that stops watching
 */
function watchAnchors(bubble: () => HTMLElement | null, show: (anchor: HTMLElement | undefined) => void): () => void {
  const stop = new AbortController()
  let shown: HTMLElement | undefined
  let closedAt = Number.NEGATIVE_INFINITY
  let timer: ReturnType<typeof setTimeout> | undefined
  /** Element that was pressed. It shows no tooltip until the pointer leaves it. */
  let pressed: HTMLElement | undefined

  const put = (anchor: HTMLElement | undefined) => {
    clearTimeout(timer)
    if (shown && !anchor) closedAt = performance.now()
    shown = anchor?.isConnected ? anchor : undefined
    show(shown)
  }
  const later = (anchor: HTMLElement | undefined, ms: number) => {
    clearTimeout(timer)
    timer = setTimeout(() => put(anchor), ms)
  }
  const over = ({ target, pointerType }: PointerEvent) => {
    if (pointerType === 'touch') return
    const anchor = anchorOf(target)
    if (anchor !== pressed) pressed = undefined
    if (anchor && anchor === shown) return clearTimeout(timer)
    if (anchor && anchor !== pressed) return later(anchor, shown || performance.now() - closedAt < warmMs ? 0 : openDelayMs)
    if (target instanceof Node && bubble()?.contains(target)) return clearTimeout(timer)
    if (shown) later(undefined, leaveMs)
    else clearTimeout(timer)
  }
  const listen = <Name extends keyof WindowEventMap>(name: Name, act: (event: WindowEventMap[Name]) => void) =>
    addEventListener(name, act, { signal: stop.signal, capture: true, passive: true })
  listen('pointerover', over)
  listen('pointerdown', ({ target }) => {
    pressed = anchorOf(target)
    put(undefined)
  })
  listen('focusin', ({ target }) => {
    const anchor = anchorOf(target)
    if (anchor && anchor !== pressed && anchor === target && anchor.matches(':focus-visible')) put(anchor)
  })
  listen('focusout', ({ target }) => target === shown && put(undefined))
  listen('click', () => put(undefined))
  listen('scroll', ({ target }) => shown && target instanceof Node && target.contains(shown) && put(undefined))
  listen('keydown', (event) => {
    if (event.key !== 'Escape' || !shown) return
    // Escape closes only the tooltip. A dialog below it stays open.
    event.stopPropagation()
    put(undefined)
  })
  const focused = document.activeElement
  if (focused instanceof HTMLElement && focused.matches(tooltipSelector) && focused.matches(':focus-visible')) put(focused)
  else
    later(
      [...document.querySelectorAll<HTMLElement>(tooltipSelector)].findLast((each) => each.matches(':hover')),
      openDelayMs,
    )
  return () => {
    stop.abort()
    clearTimeout(timer)
  }
}
