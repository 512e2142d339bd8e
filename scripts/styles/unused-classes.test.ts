import { describe, expect, it } from 'vitest'
import { cssClassesOf, findUnusedCssClasses } from './unused-classes.ts'

const css = `
/* Not a class: .comment */
.bar {
  gap: .5rem;
  :global(.stack) > & { inset: 0 }
  &:hover, .inner:is(.wide) { color: red; transition: color .2s }
}
@media (max-width: 640px) { .narrow { display: none } }
`

describe('classes of a CSS module', () => {
  it('classes are found in selectors at every depth, and comments, numbers and global classes are ignored', () => {
    expect([...cssClassesOf(css)]).toEqual(['bar', 'inner', 'wide', 'narrow'])
  })

  it('a CSS class is unused if no source file that imports the CSS module uses the name of the class', () => {
    const users = [
      { name: 'styles', source: 'cx(styles.bar, on && styles.wide)' },
      { name: 'css', source: 'css.inner + styles.narrow' },
    ]
    expect(findUnusedCssClasses({ css, users })).toEqual(['narrow'])
  })

  it('all classes count as used if a source computes class names', () => {
    expect(findUnusedCssClasses({ css, users: [{ name: 'styles', source: 'styles[width]' }] })).toEqual([])
  })
})
