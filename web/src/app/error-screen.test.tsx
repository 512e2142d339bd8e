import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { cacheKey } from '../lib/early/early-loads.ts'
import { FileError } from '../lib/load-file.ts'
import { renderInApp } from '../testing/render.tsx'
import { simulateServer } from '../testing/server.ts'
import { ErrorScreen } from './error-screen.tsx'

const user = userEvent.setup()

it('the error screen shows the message, the stack, a link to report the error, and two ways to continue', async () => {
  const error = new Error('The compass broke')
  await renderInApp(<ErrorScreen error={error} />)
  expect(screen.getByRole('heading', { level: 1, name: 'An error has occurred' })).toBeTruthy()
  expect(screen.getByRole('alert').textContent).toBe('The compass broke')
  expect(document.querySelector('pre')?.textContent).toBe(error.stack)
  expect(screen.getByRole('link', { name: 'Report the error' }).getAttribute('href')).toMatch(/\/issues$/)
  for (const name of ['Try again', 'Clean cache']) expect(screen.getByRole('button', { name })).toBeTruthy()
})

it('the button "Clean cache" removes cached responses and no other data', async () => {
  localStorage.setItem(cacheKey, 'packed')
  localStorage.setItem('language', 'en-US')
  await renderInApp(<ErrorScreen error={new Error('The compass broke')} />)
  await user.click(screen.getByRole('button', { name: 'Clean cache' }))
  expect(localStorage.getItem(cacheKey)).toBeNull()
  expect(localStorage.getItem('language')).toBe('en-US')
})

it('the error screen shows no message and no stack if a file failed to load', async () => {
  await renderInApp(
    <ErrorScreen error={new FileError(new TypeError('Failed to fetch dynamically imported module: /static/a.js'))} />,
  )
  expect(screen.getByRole('heading', { level: 1, name: 'Could not load this' })).toBeTruthy()
  expect(screen.getByRole('alert').textContent).toBe('It loads automatically once you are back online.')
  expect(screen.getByRole('button', { name: 'Try again' })).toBeTruthy()
  expect(document.querySelector('pre')).toBeNull()
  expect(document.body.textContent).not.toContain('static')
})

it.each(['online', 'focus'])('the error screen of a missing file requests the index page on the event %s', async (sign) => {
  const asked = simulateServer({ 'GET /': { status: 503 } })
  await renderInApp(<ErrorScreen error={new FileError('Failed to fetch')} />)
  expect(asked).toEqual([])
  dispatchEvent(new Event(sign))
  await waitFor(() => expect(asked.map(({ address }) => address)).toEqual(['/']))
})
