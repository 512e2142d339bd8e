import type { Plugin } from 'vite'

/** Fonts that nearly every text and headline uses. */
const firstFonts = [/inter-latin-wght-normal-[\w-]+\.woff2$/, /saira-latin-wght-normal-[\w-]+\.woff2$/]

/** Preloads the fonts together with the scripts, so that they arrive before the first text and no text changes its width. */
export function preloadFonts(): Plugin {
  return {
    name: 'capstan-font-preload',
    apply: 'build',
    transformIndexHtml: {
      order: 'post',
      handler: (_html, { bundle }) => {
        return firstFonts.map((pattern) => {
          const font = Object.keys(bundle ?? {}).find((name) => pattern.test(name))
          if (!font) throw new Error(`The bundle has no font like ${pattern}`)
          const attrs = { rel: 'preload', as: 'font', type: 'font/woff2', crossorigin: '', href: `/${font}` }
          return { tag: 'link', attrs, injectTo: 'head' as const }
        })
      },
    },
  }
}
