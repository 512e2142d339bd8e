import katex from 'katex'
import 'katex/dist/katex.min.css'

/**
 * Replaces sources by formulas once the letters of those are there: until then they would be blank. KaTeX sets styles through the DOM,
 * which a strict CSP allows.
 */
export async function typeset(elements: readonly HTMLElement[]): Promise<void> {
  const drafts = elements.map((element) => {
    const draft = document.createElement('span')
    draft.className = 'visually-hidden'
    draft.ariaHidden = 'true'
    const displayMode = element.dataset.formula === 'display'
    katex.render(element.textContent ?? '', draft, { displayMode, throwOnError: false, trust: false })
    element.append(draft)
    return draft
  })
  // What is laid out asks for its fonts, seen or not.
  await document.fonts.ready
  for (const draft of drafts) draft.parentElement?.replaceChildren(...draft.childNodes)
}
