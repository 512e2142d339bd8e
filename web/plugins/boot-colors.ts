import { readFileSync } from 'node:fs'
import type { Plugin } from 'vite'

const tokens = new URL('../src/styles/tokens.css', import.meta.url)
/** Names of the design tokens that the page needs before its first style sheet loads. */
const used = ['--brand-hue', '--neutral-1', '--neutral-6', '--neutral-10']

/** Finds the first CSS rule with this selector, and returns its declarations of the named tokens. */
function declarationsOf(css: string, selector: string, names: readonly string[]): string[] {
  const start = css.indexOf(`${selector} {`)
  const lines = start < 0 ? [] : css.slice(start, css.indexOf('}', start)).split('\n')
  return names.flatMap((name) => lines.find((line) => line.trim().startsWith(`${name}:`))?.trim() ?? [])
}

/**
 * Inserts the colors of tokens.css into index.html, which is painted before any style sheet loads.
 * @throws Error if a color or its placeholder is missing
 */
function withBootColors(html: string, css: string): string {
  const fill = (page: string, place: string, selector: string, names: readonly string[]) => {
    const colors = declarationsOf(css, selector, names)
    if (!page.includes(place) || colors.length !== names.length) throw new Error(`No placeholder or no colors for '${place}'`)
    return page.replace(place, colors.join(' '))
  }
  const [hue = '', ...neutrals] = used
  const dark = fill(html, '/* boot: dark */', ':root', [hue, ...neutrals])
  // Both color schemes use the same hue.
  return fill(dark, '/* boot: light */', "[data-scheme='light']", neutrals)
}

export function insertBootColors(): Plugin {
  return {
    name: 'capstan-boot-colors',
    transformIndexHtml: { order: 'pre', handler: (html) => withBootColors(html, readFileSync(tokens, 'utf8')) },
  }
}
