import { blockFormulaAt, inlineFormulaAt } from '@capstan/contract/formula'
import DOMPurify from 'dompurify'
import { Marked, type TokenizerAndRendererExtension } from 'marked'
import { i18n } from './i18n.ts'
import { loadFile } from './load-file.ts'
import type { Scheme } from './palette.ts'

function escapeHtml(text: string) {
  return text.replace(/[&<>"]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[letter] ?? letter)
}

/**
 * Elements that KaTeX fills later. They hold the source with its dollars: it stays as it is without KaTeX, and where KaTeX cannot set
 * it.
 */
function formulaHtml(raw: string, isDisplayed: boolean): string {
  return isDisplayed
    ? `<p><span data-formula="display">${escapeHtml(raw.trim())}</span></p>`
    : `<span data-formula="inline">${escapeHtml(raw)}</span>`
}

const formulaBlock: TokenizerAndRendererExtension = {
  name: 'formulaBlock',
  level: 'block',
  // Only at the start of a line: anywhere else it would tear paragraphs apart.
  start: (source) => /^\$\$/m.exec(source)?.index,
  tokenizer: (source) => {
    const found = blockFormulaAt(source)
    return found && { type: 'formulaBlock', raw: found.raw }
  },
  renderer: ({ raw }) => formulaHtml(raw, true),
}

const formulaInline: TokenizerAndRendererExtension = {
  name: 'formulaInline',
  level: 'inline',
  start: (source) => source.indexOf('$'),
  tokenizer: (source, tokens) => {
    const found = inlineFormulaAt(source, tokens.at(-1)?.raw.at(-1))
    return found && { type: 'formulaInline', raw: found.raw }
  },
  renderer: ({ raw }) => formulaHtml(raw, false),
}

const marked = new Marked({ gfm: true, breaks: false })
marked.use({
  extensions: [formulaBlock, formulaInline],
  renderer: {
    // A picture of a tick box: nothing can be ticked.
    checkbox: ({ checked }) =>
      `<span role="img" data-task="${checked ? 'done' : 'open'}" aria-label="${escapeHtml(
        i18n.t(checked ? 'task.done' : 'task.open'),
      )}">${checked ? '☑' : '☐'}</span> `,
  },
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

/** One level lower: the page around the text has the first. */
function lowerHeadings(html: string): string {
  return html.replace(/(<\/?h)([1-5])(?=[\s>])/g, (_, tag: string, level: string) => `${tag}${Number(level) + 1}`)
}

/**
 * Safe HTML of Markdown: no scripts, styles, forms or frames; links open apart and say nothing about us. Its headings begin at the
 * second level.
 */
export function renderMarkdown(source: string): string {
  const html = purifier.sanitize(marked.parse(source, { async: false }), {
    USE_PROFILES: { html: true },
    FORBID_TAGS: ['style', 'form', 'input', 'button', 'textarea', 'select', 'iframe'],
    FORBID_ATTR: ['style', 'id', 'name'],
    ADD_ATTR: ['data-formula', 'data-task'],
  })
  return lowerHeadings(html)
}

/** Does the work once one of the elements is on the screen: what is never looked at need not be loaded. @returns stops waiting */
function whenSeen(elements: readonly HTMLElement[], work: () => Promise<unknown>): () => void {
  if (elements.length === 0) return () => undefined
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    observer.disconnect()
    // What cannot be loaded leaves formulas and code as they are written.
    work().catch(() => undefined)
  })
  for (const element of elements) observer.observe(element)
  return () => observer.disconnect()
}

/** Typesets formulas of rendered Markdown at once, and colors code that comes into sight. @returns stops waiting for that */
export function enrich(root: HTMLElement, scheme: Scheme): () => void {
  const formulas = [...root.querySelectorAll<HTMLElement>('[data-formula]')]
  // What scrolls sideways must be reachable by keyboard.
  for (const wide of root.querySelectorAll<HTMLElement>('pre, table')) wide.tabIndex = 0
  const codes = [...root.querySelectorAll<HTMLElement>('pre > code[class*="language-"]')]
  // Also those below the fold: they are printed and searched for.
  if (formulas.length > 0) void typesetAll(formulas)
  return whenSeen(codes, async () => {
    const { color } = await loadFile(() => import('./markdown-code.ts'))
    await Promise.all(codes.map((code) => color(code, scheme)))
  })
}

function loadFormulas() {
  return loadFile(() => import('./markdown-formula.ts'))
}

/** Hides the sources until they are formulas; a failure shows them. */
async function typesetAll(formulas: readonly HTMLElement[]): Promise<void> {
  for (const formula of formulas) formula.dataset.state = 'waiting'
  try {
    const { typeset } = await loadFormulas()
    await typeset(formulas)
  } catch {
    // The sources stay readable.
  }
  for (const formula of formulas) delete formula.dataset.state
}
