import type { Plugin } from 'vite'

/** File that holds the letters of nearly every text. */
const firstFont = /inter-latin-wght-normal-[\w-]+\.woff2$/

/** Asks for the font together with the scripts: it is there before the first text, which then never changes its width. */
export function fontPreload(): Plugin {
  return {
    name: 'capstan-font-preload',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) => {
        const font = Object.keys(bundle ?? {}).find((name) => firstFont.test(name))
        if (!font) throw new Error('The bundle has no font of the interface')
        const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `/${font}` }
        return [{ tag: 'link', attrs, injectTo: 'head' }]
      },
    },
  }
}
