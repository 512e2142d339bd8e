import { fireEvent, screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { ChallengeFailedDialog } from './challenge-failed.tsx'

it('the page offers a retry and a close button if a challenge fails to load', async () => {
  const done: string[] = []
  await renderInApp(<ChallengeFailedDialog id={7} onRetry={() => done.push('retry')} onClose={() => done.push('close')} />)
  const dialog = await screen.findByRole<HTMLDialogElement>('dialog', { name: 'Could not load this' })
  expect(dialog.open).toBe(true)
  fireEvent.click(screen.getByRole('button', { name: 'Try again' }))
  fireEvent.click(screen.getByRole('button', { name: 'Close' }))
  fireEvent(dialog, new Event('cancel', { cancelable: true }))
  expect(done).toEqual(['retry', 'close', 'close'])
})
