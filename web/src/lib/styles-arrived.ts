/** A page whose style sheets do not arrive is shown without them after so long, milliseconds. */
const patienceMs = 10_000

/** Resolves once the style sheets of the page have arrived, which do not hold up its first paint. */
export const stylesArrived = (): Promise<void> =>
  new Promise((resolve) => {
    const look = () => {
      if ([...document.querySelectorAll<HTMLLinkElement>('link[rel=stylesheet]')].every(({ sheet }) => sheet)) resolve()
    }
    // Also of one that `public/first-paint.js` asks for again.
    document.addEventListener('load', look, true)
    setTimeout(resolve, patienceMs)
    look()
  })
