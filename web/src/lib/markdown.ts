import DOMPurify from 'dompurify'
import { Marked, type TokenizerAndRendererExtension } from 'marked'
import type { Scheme } from './palette.ts'
import { retryOnce } from './retry-once.ts'

const escapeHtml = (text: string) =>
  text.replace(/[&<>"]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[letter] ?? letter)

/** `$x$` and `$$x$$` become elements that KaTeX fills later; without it the source stays readable. */
const formula = (name: string, level: 'inline' | 'block', pattern: RegExp, display: boolean): TokenizerAndRendererExtension => ({
  name,
  level,
  // Where one may begin: a block only at the start of a line, else it would tear paragraphs apart.
  start: (source) => (level === 'block' ? /^\$\$/m : /\$/).exec(source)?.index,
  tokenizer(source) {
    const match = pattern.exec(source)
    return match ? { type: name, raw: match[0], text: match[1]?.trim() ?? '' } : undefined
  },
  renderer: (token) =>
    display
      ? `<p><span data-formula="display">${escapeHtml(token.text)}</span></p>`
      : `<span data-formula="inline">${escapeHtml(token.text)}</span>`,
})

const marked = new Marked({ gfm: true, breaks: false })
marked.use({
  extensions: [
    formula('formulaBlock', 'block', /^\$\$([^$]+?)\$\$(?:\n|$)/, true),
    formula('formulaInline', 'inline', /^\$(?!\s)((?:\\\$|[^$\n])+?)(?<!\s)\$(?!\d)/, false),
  ],
})

const purifier = DOMPurify()
purifier.addHook('afterSanitizeAttributes', (node) => {
  if (node instanceof HTMLAnchorElement) {
    node.rel = 'noopener noreferrer nofollow'
    if (node.origin !== location.origin) node.target = '_blank'
  }
  if (node instanceof HTMLImageElement) {
    node.loading = 'lazy'
    node.referrerPolicy = 'no-referrer'
  }
})

/** Safe HTML of Markdown: no scripts, styles, forms or frames; links open apart and say nothing about us. */
export function renderMarkdown(source: string): string {
  return purifier.sanitize(marked.parse(source, { async: false }), {
    USE_PROFILES: { html: true },
    FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'iframe'],
    FORBID_ATTR: ['style', 'id', 'name'],
    ADD_ATTR: ['data-formula'],
  })
}

/** Fills formulas and colors code in rendered Markdown, loading what that needs. */
export async function enrich(root: HTMLElement, scheme: Scheme): Promise<void> {
  const formulas = [...root.querySelectorAll<HTMLElement>('[data-formula]')]
  // What scrolls sideways must be reachable by keyboard.
  for (const wide of root.querySelectorAll<HTMLElement>('pre, table')) wide.tabIndex = 0
  const codes = [...root.querySelectorAll<HTMLElement>('pre > code[class*="language-"]')]
  await Promise.all([
    formulas.length > 0 && retryOnce(() => import('./markdown-formula.ts')).then(({ typeset }) => formulas.forEach(typeset)),
    codes.length > 0 &&
      retryOnce(() => import('./markdown-code.ts')).then(({ color }) => Promise.all(codes.map((code) => color(code, scheme)))),
  ])
}
