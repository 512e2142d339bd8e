import { beforeAll, describe, expect, it } from 'vitest'
import { startI18n } from './i18n.ts'
import { renderMarkdown } from './markdown.ts'

beforeAll(() => startI18n('en-US'))

function elementOf(source: string): HTMLElement {
  const element = document.createElement('div')
  element.innerHTML = renderMarkdown(source)
  return element
}
function formulasOf(source: string) {
  return [...elementOf(source).querySelectorAll('[data-formula]')].map((one) => one.textContent)
}

describe('formulas in Markdown', () => {
  it.each([
    'Flags look like flag{$ecr3t_$tuff}.',
    'LD_LIBRARY_PATH=$HOME/lib:$LD_LIBRARY_PATH',
    '$_COOKIE[a].$_SERVER[b]',
    '$100 or 100$',
    'mail $USER@$HOST today',
    '$$ is the shell, $! its last job',
  ])('formulas are not recognized in the text %s', (source) => {
    expect(elementOf(source).textContent?.trim()).toBe(source)
    expect(formulasOf(source)).toEqual([])
  })

  it('formulas show their source with dollar signs until they are rendered', () => {
    expect(formulasOf('Let $n = pq$ and **$e$**.')).toEqual(['$n = pq$', '$e$'])
    expect(formulasOf('$$\nE = mc^2\n$$')).toEqual(['$$\nE = mc^2\n$$'])
  })

  it('formulas are not recognized inside code or after a backslash', () => {
    expect(formulasOf('`$x$` and \\$y$')).toEqual([])
    expect(elementOf('\\$y$').textContent?.trim()).toBe('$y$')
  })
})

it('tables retain the alignment of columns', () => {
  const cells = elementOf('| a | b | c |\n|:-:|--:|---|\n| 1 | 2 | 3 |').querySelectorAll('td')
  expect([...cells].map((cell) => cell.getAttribute('align'))).toEqual(['center', 'right', null])
})

it('task lists show checkboxes as pictures', () => {
  const ticks = elementOf('- [x] read\n- [ ] solve').querySelectorAll('[role=img]')
  expect([...ticks].map((tick) => [tick.getAttribute('aria-label'), tick.textContent])).toEqual([
    ['Done', '☑'],
    ['Not done', '☐'],
  ])
})
