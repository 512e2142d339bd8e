import type { Page } from 'playwright-core'

const controls =
  'a[href], button, input:not([type=hidden]), select, textarea, summary, [role=button], [role=tab], [role=switch], [role=option], [role^=menuitem]'

/** Minimum width and height of a control, in CSS pixels. */
const least = 44

/**
 * Selector of the toasts. The checks ignore toasts, because toasts appear over any page, have separate focus stops, and soon
 * disappear.
 */
const toasts = '[role=region]:has(> ol > [data-swipe-direction])'

/** Switches the page to touch input or to mouse input. */
export async function switchInputMethod(page: Page, isTouch: boolean): Promise<void> {
  const devTools = await page.context().newCDPSession(page)
  await devTools.send('Emulation.setTouchEmulationEnabled', { enabled: isTouch, maxTouchPoints: 1 })
  await page.waitForFunction((wanted) => matchMedia('(pointer: coarse)').matches === wanted, isTouch)
}

/**
 * Returns every control that is too small for a finger, with the size of its hit area. The hit area includes pseudo-elements and
 * labels of the control. Links inside a text are exempt.
 */
export function findSmallTargets(page: Page): Promise<string[]> {
  return page.evaluate(
    ({ controls, least, toasts }) => {
      const controlAt = (x: number, y: number) => {
        const top = document.elementsFromPoint(x, y).find((each) => !each.closest(toasts))
        return top?.closest(controls) ?? top?.closest('label')?.control
      }
      /** True if text surrounds the element. */
      const isInText = (element: Element) => {
        if (getComputedStyle(element).display !== 'inline') return false
        let block = element.parentElement
        while (block && getComputedStyle(block).display === 'inline') block = block.parentElement
        const rest = block?.cloneNode(true)
        if (!(rest instanceof Element)) return false
        for (const control of rest.querySelectorAll(controls)) control.remove()
        return /[\p{L}\p{N}]/u.test(rest.textContent ?? '')
      }
      const faultsOf = (element: HTMLElement): string[] => {
        const { width: given } = element.getBoundingClientRect()
        const isShown = given > 1 && element.checkVisibility({ visibilityProperty: true }) && !element.closest('[inert]')
        if (!isShown || isInText(element)) return []
        element.scrollIntoView({ block: 'center', inline: 'center', behavior: 'instant' })
        const [box] = element.getClientRects()
        // Skip elements above the viewport, such as skip links, which appear only when they have the focus.
        if (!box || box.bottom <= 0) return []
        const x = Math.floor(box.left + box.width / 2)
        const y = Math.floor(box.top + box.height / 2)
        // Skip elements behind the last open dialog, because the dialog covers everything else.
        const dialog = [...document.querySelectorAll('[role=dialog]')].at(-1)
        if (controlAt(x, y) !== element && dialog?.contains(element) === false) return []
        /** Returns how many pixels the hit area extends from its center in one direction. */
        const reach = (dx: number, dy: number) => {
          let far = 0
          while (far < least && controlAt(x + dx * far, y + dy * far) === element) far += 1
          return far
        }
        const width = reach(-1, 0) + reach(1, 0) - 1
        const height = reach(0, -1) + reach(0, 1) - 1
        if (width >= least && height >= least) return []
        const named = element instanceof HTMLInputElement ? (element.labels?.[0] ?? element) : element
        const name = `${element.tagName} ${element.ariaLabel ?? named.textContent?.trim()}`
        if (width > 0 && height > 0) return [`${width} x ${height} px: ${name}`]
        const top = document.elementFromPoint(x, y)
        return [`behind ${top?.tagName} ${top?.className} ${top?.textContent?.trim().slice(0, 80)}: ${name}`]
      }
      return [...document.querySelectorAll<HTMLElement>(controls)].filter((each) => !each.closest(toasts)).flatMap(faultsOf)
    },
    { controls, least, toasts },
  )
}

/**
 * Checks the focus stops of the page or of its open dialog. Returns stops without a focus ring, outside of the window,
 * or behind a sticky element. The check moves the focus backwards until a stop repeats.
 * @param maxStops maximum number of stops to check, because long lists have many stops
 */
export async function findFocusFaults(page: Page, maxStops = 100): Promise<string[]> {
  const faults: string[] = []
  await page.evaluate(() => document.activeElement instanceof HTMLElement && document.activeElement.blur())
  for (let stop = 0; stop < maxStops; stop += 1) {
    await page.keyboard.press('Shift+Tab')
    const found = await page.evaluate(
      ([stop, toasts]) => {
        const element = document.activeElement
        if (!(element instanceof HTMLElement) || element === document.body) return undefined
        const { lastStop } = element.dataset
        element.dataset.lastStop = String(stop)
        // A date field gets the focus several times in a row. The loop continues in this case.
        if (lastStop !== undefined) return Number(lastStop) === stop - 1 ? [] : undefined
        // Ignore elements that only scripts focus, helper elements of the dialog library, and controls that the browser draws.
        if (element.tabIndex < 0 || 'radixFocusGuard' in element.dataset || !element.matches(':focus')) return []
        if (element.closest(toasts)) return []
        const hasRing = (of: Element | null | undefined, pseudo?: string) => {
          if (!of) return false
          const { outlineStyle, outlineWidth } = getComputedStyle(of, pseudo)
          return outlineStyle !== 'none' && Number.parseFloat(outlineWidth) >= 2
        }
        const box = element.getClientRects()[0] ?? element.getBoundingClientRect()
        const [left, right] = [Math.max(box.left, 0), Math.min(box.right, innerWidth)]
        const [top, bottom] = [Math.max(box.top, 0), Math.min(box.bottom, innerHeight)]
        const isTall = box.height > innerHeight / 2
        const isInside = isTall ? bottom > top : bottom - top > box.height - 1 && right - left > box.width - 1
        const isFree = (y: number) => {
          const above = document.elementsFromPoint((left + right) / 2, y).find((each) => !each.closest(toasts))
          return (
            above !== undefined &&
            (element.contains(above) || above.contains(element) || above.closest('label')?.contains(element))
          )
        }
        const around = [element, element.parentElement, element.parentElement?.parentElement, element.closest('article, li')]
        const wrong = [
          ...(around.some((each) => hasRing(each)) || hasRing(element, '::after') ? [] : ['has no ring']),
          ...(isInside ? [] : ['is outside the window']),
          ...(isFree((top + bottom) / 2) && (isTall || (isFree(top + 2) && isFree(bottom - 2))) ? [] : ['is covered']),
        ]
        return wrong.map((fault) => `${element.tagName} ${element.ariaLabel ?? element.textContent?.trim()} ${fault}`)
      },
      [stop, toasts] as const,
    )
    if (!found) return stop === 0 ? ['no stop'] : faults
    faults.push(...found)
  }
  return faults
}
