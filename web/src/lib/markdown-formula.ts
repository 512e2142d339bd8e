import { removeFormulaDelimiters } from '@capstan/contract/formula'
import katex from 'katex'
import 'katex/dist/katex.min.css'

/**
 * Replaces the sources of formulas by rendered formulas after the fonts have loaded. Without the fonts, formulas would be blank.
 * KaTeX sets styles by the DOM, which a strict CSP allows.
 */
export async function renderFormulas(elements: readonly HTMLElement[]): Promise<void> {
  const drafts = elements.flatMap((element) => {
    const draft = document.createElement('span')
    draft.className = 'visually-hidden'
    draft.ariaHidden = 'true'
    const displayMode = element.dataset.formula === 'display'
    try {
      katex.render(removeFormulaDelimiters(element.textContent ?? ''), draft, { displayMode, throwOnError: true, trust: false })
    } catch {
      // The text is not a formula, so its source remains, including the dollars.
      delete element.dataset.formula
      return []
    }
    element.append(draft)
    return [draft]
  })
  // Wait for the fonts before the formulas become visible. Hidden formulas request their fonts too.
  await document.fonts.ready
  for (const draft of drafts) draft.parentElement?.replaceChildren(...draft.childNodes)
}
