import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer } from '../../testing/server.ts'
import { PageShell } from './shell.tsx'

const config = {
  ...{ title: 'Harbour', slogan: 'Haul away', footerInfo: null, customTheme: null, logoUrl: null },
  ...{ defaultLifetime: 120, extensionDuration: 120, renewalWindow: 10 },
}

it.each([
  ['the footer if an admin wrote one', 'Run by the pilots', 'Run by the pilots'],
  ['the slogan if no admin wrote a footer', null, 'Haul away'],
])('the page layout shows %s in the footer of every page', async (_, footerInfo, text) => {
  simulateServer({
    'GET /api/account/profile': { status: 401, body: { title: 'Please log in first', status: 401, code: 'session.required' } },
    'GET /api/config': { body: { ...config, footerInfo } },
  })
  await renderInApp(<PageShell />)
  expect((await screen.findByText(text)).closest('footer')).toBeTruthy()
})
