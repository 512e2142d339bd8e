/** Maximum time to wait for style sheets, in ms. After this time the page is shown without them. */
const patienceMs = 10_000

/** Resolves when the style sheets of the page have loaded. They do not block its first paint. */
export function waitForStyles(): Promise<void> {
  return new Promise((resolve) => {
    const look = () => {
      if ([...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].every(({ sheet }) => sheet)) resolve()
    }
    // This event also reports style sheets that `public/first-paint.js` requests again.
    document.addEventListener('load', look, true)
    setTimeout(resolve, patienceMs)
    look()
  })
}
