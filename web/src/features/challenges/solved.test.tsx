import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { SolvedPanel } from './solved.tsx'

it('the panel shows the teammate who solved the challenge, and the points', async () => {
  const card = (userName: string | null) => (
    <SolvedPanel
      solve={{ id: 1, score: 1050, type: 'Normal', userName, time: '2026-01-01T00:00:00Z' }}
      answer={{ kind: 'none' }}
      rank={4}
      onNext={undefined}
      onBoard={() => undefined}
    />
  )
  const { unmount } = await renderInApp(card('mira'), { areas: ['challenges'] })
  expect(screen.getByRole('status').textContent).toMatch(/^Solved, \+1,050 pointsby mira/)
  // A teammate solved the challenge on another device, so the focus does not move.
  expect(document.activeElement).toBe(document.body)
  unmount()
  await renderInApp(card(null), { areas: ['challenges'] })
  expect(screen.getByRole('status').textContent).not.toContain('by')
})
