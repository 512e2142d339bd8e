import { defaultContainer } from '@capstan/contract/challenge-parts'
import { findContainerListFaults } from '@capstan/contract/container-list-faults'
import { ContainerLimits } from '@capstan/contract/limits'
import { expect, test, vi } from 'vitest'
import { startTestApp } from '../../testing/app.ts'
import { signInAsNewUser } from '../../testing/factories.ts'
import { aGame } from '../../testing/organizing-factories.ts'
import { createPackageZip } from '../archives/testing/zip.ts'

vi.mock('@capstan/contract/container-list-faults', { spy: true })

// Each contradiction needs another search in all containers, so an archive with many contradictions takes minutes.
test('does not search for contradictions of an archive in the main thread', async () => {
  const context = await startTestApp()
  const { client } = await signInAsNewUser(context, 'Admin')
  const environment = Array.from({ length: 3 }, (_, index) => ({ name: 'MODE', value: String(index) }))
  const containers = Array.from({ length: ContainerLimits.maxContainers }, (_, index) => ({
    ...defaultContainer,
    name: `c${index}`,
    ...(index > 0 && { port: null }),
    definition: { environment },
  }))
  const content = createPackageZip({}, { type: 'StaticContainer', container: { image: 'x', port: 80 }, containers })
  const path = `/api/edit/games/${(await aGame(context.db)).id}/challenges/import/preview`
  const { challenges } = (await client.upload('POST', path, [{ field: 'file', name: 'a.zip', content }])).json()
  expect(challenges[0].findings.map(({ field }: { field: string }) => field)).toEqual(
    expect.arrayContaining(containers.map((_, index) => `containers[${index}].environment.1.name`)),
  )
  expect(findContainerListFaults).not.toHaveBeenCalled()
  await context.close()
})
