import type { ImportFinding, ImportFindingGroup, ImportPreview } from '@capstan/contract/exchange'
import { screen, waitFor } from '@testing-library/react'
import userEvent from '@testing-library/user-event'
import { expect, it } from 'vitest'
import { anImportedChallenge } from '../../testing/imported-challenge.ts'
import { renderInApp } from '../../testing/render.tsx'
import { simulateServer, simulateUploads } from '../../testing/server.ts'
import { ImportScreen } from './import-screen.tsx'

const disabled: ImportFinding = {
  file: 'buoy/challenge.yml',
  line: 1,
  field: 'enabled',
  outcome: 'converted',
  why: 'The challenge is imported disabled.',
  advice: 'Test it, then enable it.',
  repair: 'enable',
}
const small: ImportFinding = { ...disabled, field: 'container', why: 'No limit is given.', advice: 'Set it.', repair: 'limits' }
const several: ImportFinding = { ...disabled, why: 'Several ports.', advice: 'Set it.', repair: 'port', ports: [80, 8080] }
const container = { image: 'buoy', port: 80, memoryLimit: 64, cpuCount: 1 }

function groupOf({ outcome, why, advice, repair }: ImportFinding, values: Partial<ImportFindingGroup> = {}): ImportFindingGroup {
  return { urgency: 'action', outcome, why, advice, ...(repair && { repair }), count: 1, findings: [disabled], ...values }
}

function previewOf(findings: readonly ImportFinding[], groups: readonly ImportFindingGroup[]): ImportPreview {
  const challenges = [anImportedChallenge({ container, findings: [...findings] })]
  return { digest: 'a'.repeat(64), fileCount: 1, game: null, challenges, groups: [...groups] }
}

/** Shows the page with the preview of an archive. @returns the addresses of the uploads */
async function showPreview(previewAt: (address: string) => ImportPreview) {
  const addresses: string[] = []
  simulateServer({})
  simulateUploads((address) => {
    addresses.push(address)
    const made = { challenges: [{ id: 1, title: 'Buoy', category: 'Misc' }] }
    return { body: address.includes('/preview') ? previewAt(address) : made }
  })
  const user = userEvent.setup()
  const { container: page } = await renderInApp(<ImportScreen gameId={3} />, { areas: ['admin-import', 'admin-challenges'] })
  const input = await waitFor(() => page.querySelector<HTMLInputElement>('input[accept=".zip,.csv"]') ?? expect.fail('no input'))
  await user.upload(input, new File(['PK'], 'buoy.zip'))
  await screen.findByRole('heading', { name: 'Report' })
  return { user, addresses }
}

function queryOf(address: string | undefined) {
  return Object.fromEntries(new URL(address ?? '', 'http://capstan').searchParams)
}

it('the report shows how many findings each group has and where the first ones are, and collapses the notes', async () => {
  const note = { ...disabled, why: 'Players choose the order.', advice: null }
  await showPreview(() =>
    previewOf([], [groupOf(disabled, { count: 982 }), groupOf(note, { urgency: 'note', count: 7, findings: [note] })]),
  )
  expect(screen.getByText('982 × changed')).toBeTruthy()
  expect(screen.getAllByText('buoy/challenge.yml:1')).toHaveLength(2)
  const notes = screen.getByText('Notes that need no action (7)').closest('details')
  expect(notes?.open).toBe(false)
  expect(notes?.textContent).toContain('Players choose the order.')
})

it('the report states that there are no findings', async () => {
  await showPreview(() => previewOf([], []))
  expect(screen.getByText('No findings: everything is imported as written.')).toBeTruthy()
  expect(screen.queryByRole('button', { name: 'Enable all' })).toBeNull()
})

it('the import page requests a new preview after each repair, and imports the archive with all repairs', async () => {
  const findings = [disabled, small, several]
  const { user, addresses } = await showPreview((address) => {
    const left = findings.filter(({ repair }) => {
      const { enableAll, defaultMemoryMb, ports } = queryOf(address)
      return !{ enable: enableAll, limits: defaultMemoryMb, port: ports }[repair ?? 'enable']
    })
    return previewOf(
      left,
      left.map((finding) => groupOf(finding)),
    )
  })
  await user.click(screen.getByRole('button', { name: 'Enable all' }))
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Enable all' })).toBeNull())
  expect(document.activeElement?.textContent).toContain('Report')
  await user.clear(screen.getByRole('spinbutton', { name: 'Memory' }))
  expect(screen.getByRole<HTMLButtonElement>('button', { name: 'Set these limits' }).disabled).toBe(true)
  await user.type(screen.getByRole('spinbutton', { name: 'Memory' }), '512{Enter}')
  await waitFor(() => expect(screen.queryByRole('button', { name: 'Set these limits' })).toBeNull())
  await user.selectOptions(screen.getByRole('combobox', { name: 'Port of Buoy' }), '8080')
  await user.click(screen.getByRole('button', { name: 'Set these ports' }))
  await screen.findByText('No findings: everything is imported as written.')
  const all = { enableAll: 'true', defaultMemoryMb: '512', defaultCpuTenths: '5', ports: '0:8080' }
  expect(queryOf(addresses.at(-1))).toEqual(all)
  await user.click(screen.getByRole('button', { name: 'Import 1 challenge' }))
  await screen.findByText('Challenges that had a flag and an image are enabled. Test each challenge.')
  expect(queryOf(addresses.at(-1))).toEqual({ ...all, digest: 'a'.repeat(64), take: '0' })
})

it('after a click on "Undo all repairs", the import page requests a preview without repairs', async () => {
  const { user, addresses } = await showPreview((address) =>
    queryOf(address).enableAll ? previewOf([], []) : previewOf([disabled], [groupOf(disabled)]),
  )
  await user.click(screen.getByRole('button', { name: 'Enable all' }))
  await user.click(await screen.findByRole('button', { name: 'Undo all repairs' }))
  await screen.findByRole('button', { name: 'Enable all' })
  expect(queryOf(addresses.at(-1))).toEqual({})
})
