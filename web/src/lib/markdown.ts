import { blockFormulaAt, inlineFormulaAt } from '@capstan/contract/formula'
import DOMPurify from 'dompurify'
import { Marked, type TokenizerAndRendererExtension } from 'marked'
import { i18n } from './i18n.ts'
import { loadFile } from './load-file.ts'
import type { Scheme } from './palette.ts'

function escapeHtml(text: string) {
  return text.replace(/[&<>"]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[letter] ?? letter)
}

/** Placeholder elements for KaTeX. They contain the source with its dollars, which remains if KaTeX fails. */
function formulaHtml(raw: string, isDisplayed: boolean): string {
  return isDisplayed
    ? `<p><span data-formula="display">${escapeHtml(raw.trim())}</span></p>`
    : `<span data-formula="inline">${escapeHtml(raw)}</span>`
}

const formulaBlock: TokenizerAndRendererExtension = {
  name: 'formulaBlock',
  level: 'block',
  // Only at the start of a line, because anywhere else it would split paragraphs.
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
    // Picture of a checkbox that cannot be toggled.
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

/** One level lower, because the page has the heading of level 1. */
function lowerHeadings(html: string): string {
  return html.replace(/(<\/?h)([1-5])(?=[\s>])/g, (_, tag: string, level: string) => `${tag}${Number(level) + 1}`)
}

/**
 * Returns safe HTML of Markdown: no scripts, styles, forms or frames. Links open a new tab without referrer. Headings begin at
 * the second level.
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

/**
 * Runs the work once an element is visible, so that nothing loads for hidden ones.
 * @returns a function that cancels it
 */
function whenSeen(elements: readonly HTMLElement[], work: () => Promise<unknown>): () => void {
  if (elements.length === 0) return () => undefined
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    observer.disconnect()
    // If a library fails to load, formulas and code remain as source.
    work().catch(() => undefined)
  })
  for (const element of elements) observer.observe(element)
  return () => observer.disconnect()
}

/**
 * Renders formulas immediately, and highlights code when it becomes visible.
 * @returns a function that cancels it
 */
export function enrich(root: HTMLElement, scheme: Scheme): () => void {
  const formulas = [...root.querySelectorAll<HTMLElement>('[data-formula]')]
  // A horizontally scrolling element must be reachable by keyboard.
  for (const wide of root.querySelectorAll<HTMLElement>('pre, table')) wide.tabIndex = 0
  const codes = [...root.querySelectorAll<HTMLElement>('pre > code[class*="language-"]')]
  // Includes formulas below the visible area, which may be printed or searched.
  if (formulas.length > 0) void typesetAll(formulas)
  return whenSeen(codes, async () => {
    const { color } = await loadFile(() => import('./markdown-code.ts'))
    await Promise.all(codes.map((code) => color(code, scheme)))
  })
}

function loadFormulas() {
  return loadFile(() => import('./markdown-formula.ts'))
}

/** Hides the sources until they are rendered. After a failure they are shown. */
async function typesetAll(formulas: readonly HTMLElement[]): Promise<void> {
  for (const formula of formulas) formula.dataset.state = 'waiting'
  try {
    const { typeset } = await loadFormulas()
    await typeset(formulas)
  } catch {
    // The sources remain readable.
  }
  for (const formula of formulas) delete formula.dataset.state
}
