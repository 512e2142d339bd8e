function cardOf(challengeId: number) {
  return document.querySelector<HTMLElement>(`[data-challenge="${challengeId}"]`)
}

const durationMs = 700

/**
 * Animates a copy of the check mark from the dialog to the card of the challenge. Does nothing if the card is not visible, or if
 * the visitor prefers no motion.
 */
export function animateTickToCard(mark: Element, challengeId: number): void {
  const card = cardOf(challengeId)
  if (!card || matchMedia('(prefers-reduced-motion: reduce)').matches) return
  const from = mark.getBoundingClientRect()
  const to = (card.querySelector('[data-tick]:not(:empty)') ?? card).getBoundingClientRect()
  if (from.width === 0 || to.bottom < 0 || to.top > innerHeight) return
  const copy = mark.cloneNode(true) as HTMLElement
  copy.setAttribute('aria-hidden', 'true')
  copy.style.cssText = `position:fixed;left:${from.left}px;top:${from.top}px;z-index:var(--z-toast);margin:0;color:var(--ok);pointer-events:none`
  document.body.append(copy)
  const x = to.left + to.width / 2 - from.left - from.width / 2
  const y = to.top + to.height / 2 - from.top - from.height / 2
  const flight = copy.animate(
    [
      { transform: 'none' },
      { transform: `translate(${x * 0.4}px, ${Math.min(0, y) - 40}px) scale(1.5)`, offset: 0.4 },
      { transform: `translate(${x}px, ${y}px) scale(0.9)` },
    ],
    { duration: durationMs, easing: 'cubic-bezier(0.3, 0.1, 0.3, 1)' },
  )
  flight.finished.catch(() => undefined).finally(() => copy.remove())
}
