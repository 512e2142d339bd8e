import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const place = '<script nonce="%nonce%" src="/first-paint.js"></script>'

/** Puts the script that runs before the first paint into index.html, because a separate file would delay the paint. */
export function inlineFirstPaintScript(): Plugin {
  return {
    name: 'capstan-inline-first-paint',
    apply: 'build',
    transformIndexHtml: {
      order: 'pre',
      handler: (html) => {
        if (!html.includes(place)) throw new Error('index.html has no placeholder for first-paint.js')
        const script = readFileSync(new URL('../public/first-paint.js', import.meta.url), 'utf8')
        return html.replace(place, () => `<script nonce="%nonce%">\n${script.trim()}\n</script>`)
      },
    },
  }
}
