import { readdirSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { render, screen } from '@testing-library/react'
import { describe, expect, it } from 'vitest'
import { BloodMark } from './blood-mark.tsx'

const source = path.join(import.meta.dirname, '..', '..')
function filesOf(ending: RegExp) {
  return readdirSync(source, { recursive: true, encoding: 'utf8' }).filter(
    (file) => ending.test(file) && !file.includes('.test.'),
  )
}

describe('the blood mark', () => {
  it('the blood mark has an accessible name only if the text beside it does not contain the place', () => {
    render(
      <>
        <BloodMark place={1} label="First blood" />
        <BloodMark place={2} />
      </>,
    )
    expect(screen.getAllByRole('img').map((mark) => mark.getAttribute('aria-label'))).toEqual(['First blood'])
  })

  it('only the blood mark, the grid and the scoreboard picture use the colors for bloods', () => {
    const users = filesOf(/\.(css|tsx?)$/).filter((file) => readFileSync(path.join(source, file), 'utf8').includes('--blood-'))
    expect(users.map((file) => path.basename(file)).sort()).toEqual([
      'blood-mark.module.css',
      'grid.module.css',
      'picture.ts',
      'tokens.css',
    ])
  })
})
