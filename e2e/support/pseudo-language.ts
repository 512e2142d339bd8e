/// <reference lib="dom" />
import type { Page } from 'playwright-core'

const accents: Readonly<Record<string, string>> = Object.fromEntries(
  [
    ...'aâbƀcçdđeéfƒgĝhĥiîjĵkķlĺmḿnñoôpþqǫrŕsśtţuûvṽwŵxẋyýzžAÅBßCÇDÐEÉFƑGĜHĤIÎJĴKĶLĹMḾNÑOÖPÞQǪRŔSŠTŢUÛVṼWŴXẊYÝZŽ'.matchAll(
      /../gu,
    ),
  ].map(([pair]) => [...pair] as [string, string]),
)

/**
 * First and last character of every text in the pseudo-language. If a visible text lacks its first or last character, the page
 * has clipped the text.
 */
export const textEnds = { start: '⟦', end: '⟧' } as const

export function toPseudoLanguage(text: string): string {
  const parts = text.split(/(\{\{.*?\}\}|<\/?\w+>)/)
  const letters = parts.map((part, index) =>
    index % 2 === 1 ? part : part.replaceAll(/[a-z]/gi, (letter) => accents[letter] ?? letter),
  )
  const length = parts.filter((_, index) => index % 2 === 0).join('').length
  const extra = Math.ceil(length * (length <= 10 ? 0.6 : 0.3))
  const padding = ' nôĉĥ ḿéĥŕ'.repeat(Math.ceil(extra / 10)).slice(0, extra)
  return `${textEnds.start}${letters.join('')}${padding}${textEnds.end}`
}

function pseudoTexts(value: unknown): unknown {
  if (typeof value === 'string') return toPseudoLanguage(value)
  return typeof value === 'object' && value !== null
    ? Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, pseudoTexts(inner)]))
    : value
}

async function pseudoModule(source: string): Promise<string> {
  const texts: Record<string, unknown> = await import(`data:text/javascript,${encodeURIComponent(source)}`)
  const names = Object.keys(texts)
  const body = names.map((name, index) => `const t${index} = ${JSON.stringify(pseudoTexts(texts[name]))}`)
  const exports = names.map((name, index) => `t${index} as ${name}`).join(', ')
  return `${body.join('\n')}\nexport { ${exports} }`
}

/**
 * Replaces a page's English catalogs with the pseudo-language. The function uses the debugging protocol, because `page.route` would
 * disable the script cache.
 */
export async function servePseudoLanguage(page: Page): Promise<void> {
  const session = await page.context().newCDPSession(page)
  const answer = async (requestId: string, url: string) => {
    const response = await page.request.get(url)
    const texts = await pseudoModule(await response.text())
    await session.send('Fetch.fulfillRequest', {
      requestId,
      responseCode: 200,
      responseHeaders: [{ name: 'content-type', value: 'text/javascript' }],
      body: Buffer.from(texts).toString('base64'),
    })
  }
  session.on('Fetch.requestPaused', ({ requestId, request }) => {
    // Ignore an error here, because the browser may have left the page. An error on an open page fails the test, because the page
    // then shows no text.
    answer(requestId, request.url).catch(() => undefined)
  })
  await session.send('Fetch.enable', { patterns: [{ urlPattern: '*/static/texts/en-US/*.js' }] })
}

export function findClippedTexts(page: Page): Promise<string[]> {
  return page.evaluate((end) => {
    const isHidden = (element: Element) => {
      const { width, height } = element.getBoundingClientRect()
      const style = getComputedStyle(element)
      // Ignore texts for screen readers, which are one pixel in size.
      return width <= 1 || height <= 1 || style.visibility === 'hidden' || style.opacity === '0'
    }
    const isCut = (element: Element, mark: DOMRect): boolean => {
      for (let box: Element | null = element; box && box !== document.documentElement; box = box.parentElement) {
        const { overflowX, overflowY } = getComputedStyle(box)
        if (/auto|scroll/.test(overflowX) || /auto|scroll/.test(overflowY)) return false
        const { left, right, top, bottom } = box.getBoundingClientRect()
        if (/hidden|clip/.test(overflowX) && (mark.right > right + 1 || mark.left < left - 1)) return true
        if (/hidden|clip/.test(overflowY) && (mark.bottom > bottom + 1 || mark.top < top - 1)) return true
      }
      return mark.right > document.documentElement.clientWidth + 1
    }
    const found: string[] = []
    const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT)
    for (let node = texts.nextNode(); node; node = texts.nextNode()) {
      const text = node.textContent ?? ''
      const at = text.lastIndexOf(end)
      const parent = node.parentElement
      if (at < 0 || !parent || parent.closest('option, script, style, [aria-hidden=true]')) continue
      let hidden = false
      for (let box: Element | null = parent; box; box = box.parentElement) hidden ||= isHidden(box)
      if (hidden) continue
      const range = document.createRange()
      range.setStart(node, at)
      range.setEnd(node, at + 1)
      const mark = range.getBoundingClientRect()
      if (isCut(parent, mark)) found.push(text)
    }
    const { scrollWidth, clientWidth } = document.documentElement
    if (scrollWidth > clientWidth + 1) found.push(`the page is ${scrollWidth} px wide in a window of ${clientWidth}`)
    return [...new Set(found)]
  }, textEnds.end)
}
