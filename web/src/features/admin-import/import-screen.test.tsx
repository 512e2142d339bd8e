import type { ImportPreview } from '@capstan/contract/exchange'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { anImportedChallenge } from '../../testing/imported-challenge.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer, simulateUploads } from '../../testing/server.ts'
import { ImportScreen } from './import-screen.tsx'

const preview: ImportPreview = {
  digest: 'a'.repeat(64),
  fileCount: 1,
  game: null,
  challenges: [anImportedChallenge()],
  groups: [],
}

it('the error of an archive disappears when the user selects another archive', async () => {
  simulateServer({})
  simulateUploads({ body: preview })
  const user = userEvent.setup()
  const { container } = await renderInApp(<ImportScreen gameId={3} />, { areas: ['admin-import', 'admin-challenges'] })
  const choose = async () => {
    const input = await waitFor(
      () => container.querySelector<HTMLInputElement>('input[accept=".zip,.csv"]') ?? expect.fail('no input'),
    )
    await user.upload(input, new File(['PK'], 'buoy.zip'))
  }
  await choose()
  const submit = await screen.findByRole('button', { name: 'Import 1 challenge' })
  simulateUploads({ status: 500, body: { title: 'The server failed', status: 500, code: 'server.unexpected' } })
  await user.click(submit)
  await screen.findByText('The server failed')
  await user.click(screen.getByRole('button', { name: 'Choose another' }))
  expect(screen.queryByText('The server failed')).toBeNull()
})

it('the import page describes each supported format in a sentence, including CTFd', async () => {
  simulateServer({})
  await renderInApp(<ImportScreen gameId={3} />, { areas: ['admin-import', 'admin-challenges'] })
  const formats = await screen.findByRole('region', { name: 'Formats' })
  const names = [...formats.querySelectorAll('dt')].map(({ textContent }) => textContent)
  expect(names).toEqual(['Capstan', 'ctfcli', 'rcds', 'kCTF', 'Konata', 'klodd', 'Game package', 'challenges.csv', 'CTFd'])
  for (const { textContent } of formats.querySelectorAll('dd')) expect(textContent).toMatch(/^[^{}]+$/)
  expect(screen.getByRole('link', { name: 'Import from CTFd' }).getAttribute('href')).toBe('/admin/games?import=ctfd')
})
