// Runs before the first paint, so a light page never flashes dark. The rule is the same as in src/stores/color-scheme.ts.
;(() => {
  let choice = 'dark'
  try {
    choice = JSON.parse(localStorage.getItem('color-scheme') ?? '{}').state?.choice ?? 'dark'
  } catch {
    // If storage is broken or forbidden, the default applies.
  }
  const light = choice === 'light' || (choice === 'auto' && matchMedia('(prefers-color-scheme: light)').matches)
  document.documentElement.dataset.scheme = light ? 'light' : 'dark'
})()

// If a script fails to load, for example after a change of the network, the page reloads.
;(() => {
  const triesMax = 3
  const pauseMs = 500
  addEventListener(
    'error',
    ({ target }) => {
      const boot = document.querySelector('.boot')
      if (!boot || !(target instanceof HTMLScriptElement)) return
      const tries = Number(history.state?.bootTries ?? 0)
      if (tries >= triesMax) {
        boot.textContent = 'This site could not be loaded. Check your connection and reload the page.'
        return
      }
      history.replaceState({ ...history.state, bootTries: tries + 1 }, '')
      setTimeout(() => location.reload(), pauseMs * 2 ** tries)
    },
    true,
  )
})()

// A style sheet that fails to load is requested again, because without it the page would be bare text.
;(() => {
  const triesMax = 5
  const pauseMs = 300
  addEventListener(
    'error',
    ({ target }) => {
      if (!(target instanceof HTMLLinkElement) || target.rel !== 'stylesheet') return
      const tries = Number(target.dataset.tries ?? 0)
      if (tries >= triesMax) return
      const again = target.cloneNode()
      again.dataset.tries = String(tries + 1)
      setTimeout(() => target.replaceWith(again), pauseMs * 2 ** tries)
    },
    true,
  )
})()
