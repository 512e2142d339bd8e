import { operations } from '@capstan/contract/operations'
import type { ClientConfig } from '@capstan/contract/settings'
import { screen } from '@testing-library/react'
import { expect, it } from 'vitest'
import { renderInApp } from '../testing/render.tsx'
import { simulateServer } from '../testing/server.ts'
import { refreshCall, setCallData, useCall } from './server-state.ts'

function config(title: string): ClientConfig {
  return {
    title,
    slogan: '',
    footerInfo: null,
    customTheme: null,
    logoUrl: null,
    defaultLifetime: 120,
    extensionDuration: 120,
    renewalWindow: 10,
  }
}

function Title() {
  return <p>Title {useCall(operations.getClientConfig).data?.title}</p>
}

it('`setCallData` immediately changes the data on the page', async () => {
  simulateServer({ 'GET /api/config': { body: config('before') } })
  await renderInApp(<Title />)
  await screen.findByText('Title before')
  await setCallData([operations.getClientConfig], config('after'))
  expect(await screen.findByText('Title after')).toBeTruthy()
})

it('`refresh` reads the data on the page again', async () => {
  let title = 'before'
  simulateServer({ 'GET /api/config': () => ({ body: config(title) }) })
  await renderInApp(<Title />)
  await screen.findByText('Title before')
  title = 'after'
  await refreshCall(operations.getClientConfig)
  expect(await screen.findByText('Title after')).toBeTruthy()
})
