import { blockFormulaAt, inlineFormulaAt } from '@capstan/contract/formula'
import DOMPurify from 'dompurify'
import { Marked, type TokenizerAndRendererExtension } from 'marked'
import { i18n } from './i18n.ts'
import { loadApplicationFile } from './load-file.ts'
import type { Scheme } from './palette.ts'

function escapeHtml(text: string) {
  return text.replace(/[&<>"]/g, (letter) => ({ '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' })[letter] ?? letter)
}

/**
 * Placeholder elements for formulas that KaTeX renders. Each element contains the source of its formula with the dollars. The
 * source remains visible if KaTeX fails.
 */
function formulaHtml(raw: string, isDisplayed: boolean): string {
  return isDisplayed
    ? `<p><span data-formula="display">${escapeHtml(raw.trim())}</span></p>`
    : `<span data-formula="inline">${escapeHtml(raw)}</span>`
}

const formulaBlock: TokenizerAndRendererExtension = {
  name: 'formulaBlock',
  level: 'block',
  // A block formula must start a line, because elsewhere it would split paragraphs.
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
    // Picture of a checkbox, because users cannot toggle a checkbox in rendered Markdown.
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

/** Headings move one level down, because the page has the heading of level 1. */
function lowerHeadings(html: string): string {
  return html.replace(/(<\/?h)([1-5])(?=[\s>])/g, (_, tag: string, level: string) => `${tag}${Number(level) + 1}`)
}

/**
 * Converts Markdown to safe HTML, without scripts, styles, forms or frames. Links open a new tab without referrer. Headings start
 * at level 2.
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
 * Runs the work when an element becomes visible, so that nothing loads for hidden elements.
 * @returns a function that cancels the work if it has not started
 */
function whenSeen(elements: readonly HTMLElement[], work: () => Promise<unknown>): () => void {
  if (elements.length === 0) return () => undefined
  const observer = new IntersectionObserver((entries) => {
    if (!entries.some(({ isIntersecting }) => isIntersecting)) return
    observer.disconnect()
    // If a library fails to load, the page shows the sources of formulas, and code without colors.
    work().catch(() => undefined)
  })
  for (const element of elements) observer.observe(element)
  return () => observer.disconnect()
}

/**
 * Renders formulas immediately, and highlights code when it becomes visible.
 * @returns a function that cancels the rendering and the highlighting
 */
export function renderFormulasAndCode(root: HTMLElement, scheme: Scheme): () => void {
  const formulas = [...root.querySelectorAll<HTMLElement>('[data-formula]')]
  // Users must be able to focus and scroll a wide element by keyboard.
  for (const wide of root.querySelectorAll<HTMLElement>('pre, table')) wide.tabIndex = 0
  const codes = [...root.querySelectorAll<HTMLElement>('pre > code[class*="language-"]')]
  // Formulas below the visible area are rendered too, because users may print or search the page.
  if (formulas.length > 0) void renderAllFormulas(formulas)
  return whenSeen(codes, async () => {
    const { highlightCodeBlock } = await loadApplicationFile(() => import('./markdown-code.ts'))
    await Promise.all(codes.map((code) => highlightCodeBlock(code, scheme)))
  })
}

function loadFormulas() {
  return loadApplicationFile(() => import('./markdown-formula.ts'))
}

/** Hides the sources of formulas until the formulas are rendered. After an error, the page shows the sources. */
async function renderAllFormulas(formulas: readonly HTMLElement[]): Promise<void> {
  for (const formula of formulas) formula.dataset.state = 'waiting'
  try {
    const { renderFormulas } = await loadFormulas()
    await renderFormulas(formulas)
  } catch {
    // The sources remain readable, so ignore the error.
  }
  for (const formula of formulas) delete formula.dataset.state
}
