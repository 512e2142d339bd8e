import { screen } from '@testing-library/react'
import { expect, test } from 'vitest'
import { anImportedChallenge } from '../../testing/imported-challenge.ts'
import { renderInApp } from '../../testing/render.tsx'
import { PreviewedChallenge } from './previewed-challenge.tsx'

const refused = anImportedChallenge({
  file: 'deep/challenge.yaml',
  dialect: 'rcds',
  title: 'Deep',
  isRefused: true,
  findings: [
    {
      file: 'deep/challenge.yaml',
      line: 9,
      field: 'provide',
      outcome: 'refused',
      why: '`./dist.zip`: The file is not in this folder.',
      advice: null,
    },
  ],
})

test('the preview formats the quoted words of a finding as code', async () => {
  await renderInApp(<PreviewedChallenge challenge={refused} taken={false} onTaken={() => {}} />, {
    areas: ['admin-import', 'admin-challenges'],
  })
  expect(screen.getByText('./dist.zip').tagName).toBe('CODE')
  expect(screen.getByText(/The file is not in this folder\./).textContent?.trim()).toBe(
    './dist.zip: The file is not in this folder.',
  )
})
