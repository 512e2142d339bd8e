import { render } from '@testing-library/react'
import { expect, it } from 'vitest'
import { GeneratedPoster } from './poster.tsx'

function drawn(title: string) {
  return render(<GeneratedPoster title={title} />).container.innerHTML
}

it('posters are equal for equal titles, and different for different titles', () => {
  const titles = ['Midnight Regatta', 'Midnight Regatta 2', '', '海', '🚩'.repeat(40), 'a'.repeat(300)]
  const pictures = titles.map(drawn)
  expect(titles.map(drawn)).toEqual(pictures)
  expect(new Set(pictures).size).toBe(titles.length)
})

it('a poster is hidden from screen readers, and contains no text, link or invalid number', () => {
  const picture = drawn('Fog & <b>"Signal"</b>')
  expect(picture).toMatch(/^<svg[^>]* aria-hidden="true"/)
  expect(picture).not.toMatch(/NaN|undefined|Infinity|<text|href|<b>/)
})
