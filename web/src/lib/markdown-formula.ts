import { formulaSource } from '@capstan/contract/formula'
import katex from 'katex'
import 'katex/dist/katex.min.css'

/**
 * Replaces sources by formulas once the letters of those are there: until then they would be blank. KaTeX sets styles through the DOM,
 * which a strict CSP allows.
 */
export async function typeset(elements: readonly HTMLElement[]): Promise<void> {
  const drafts = elements.flatMap((element) => {
    const draft = document.createElement('span')
    draft.className = 'visually-hidden'
    draft.ariaHidden = 'true'
    const displayMode = element.dataset.formula === 'display'
    try {
      katex.render(formulaSource(element.textContent ?? ''), draft, { displayMode, throwOnError: true, trust: false })
    } catch {
      // No formula after all: the source stays, dollars included.
      delete element.dataset.formula
      return []
    }
    element.append(draft)
    return [draft]
  })
  // What is laid out asks for its fonts, seen or not.
  await document.fonts.ready
  for (const draft of drafts) draft.parentElement?.replaceChildren(...draft.childNodes)
}
