import { ownOperations } from '@capstan/contract/operations'
import { strToU8, zipSync } from 'fflate'
import { expect, test } from 'vitest'
import { describeJourneys } from '../support/journeys.ts'

/** Compose project with three services, a bind mount, a health check and an internal network. */
const project = {
  'web/lodge/compose.yaml': `services:
  page:
    image: registry.example.org/page:1
    ports: ["8080:80"]
    volumes: ["./site:/srv/site:ro"]
    depends_on:
      db: { condition: service_healthy }
    networks: [front, inner]
  db:
    image: registry.example.org/db:1
    healthcheck: { test: ["CMD", "pg_isready"], interval: 5s }
    networks: [inner]
  bot:
    image: registry.example.org/bot:1
    networks: [inner]
networks:
  front: {}
  inner: { internal: true }
`,
  'web/lodge/site/index.html': 'hello',
  'web/lodge/flag.txt': 'flag{compose}\n',
}

describeJourneys('importing a compose project', (stage) => {
  test('an author reads the import report on a phone, sets memory limits by keyboard, and imports three containers', async () => {
    const { id: gameId } = await stage.organizer.openGame()
    const { page, errors, close } = await stage.openPage({ actor: stage.organizer.actor })
    await page.setViewportSize({ width: 390, height: 844 })
    await page.goto(`/admin/games/${gameId}/challenges/import`)
    const buffer = Buffer.from(zipSync(Object.fromEntries(Object.entries(project).map(([name, text]) => [name, strToU8(text)]))))
    await page.locator('input[accept=".zip,.csv"]').setInputFiles({ name: 'lodge.zip', mimeType: 'application/zip', buffer })

    const report = page.getByRole('region', { name: 'Report' })
    await report.getByText('3 × changed').waitFor()
    await report.getByText(/^No limit is given, so the platform gives each instance 64 MB of memory and 0\.1 cores\./).waitFor()
    const notes = report.getByText('Notes that need no action (3)')
    await report.getByText('The files are copied into the image, so each instance has its own copy.').waitFor({ state: 'hidden' })
    await notes.click()
    await report.getByText('The files are copied into the image, so each instance has its own copy.').waitFor()
    await report.getByText('Networks do not reach the internet, so internal changes nothing.').waitFor()
    await report.getByText('The check runs once per second.').waitFor()
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(390)

    await report.getByRole('spinbutton', { name: 'Memory' }).fill('512')
    await report.getByRole('spinbutton', { name: 'Memory' }).press('Enter')
    await report.getByText(/^No limit is given/).waitFor({ state: 'hidden' })
    await page.locator(':focus', { hasText: 'Report' }).waitFor()
    await page.getByRole('button', { name: 'Import 1 challenge', exact: true }).click()
    await page.getByText('1 challenge imported').waitFor()

    await page.getByRole('link', { name: 'lodge' }).click()
    await page.waitForURL(/\/challenges\/\d+/)
    const cid = Number(/\/challenges\/(\d+)/.exec(page.url())?.[1])
    const params = { id: gameId, cid }
    const { challenge } = await stage.organizer.actor.call(ownOperations.getFullChallenge, { params })
    expect(challenge).toMatchObject({ title: 'lodge', category: 'Web', enabled: false, flags: [{ flag: 'flag{compose}' }] })
    expect(challenge.containers).toMatchObject([
      // The container needs an image that contains the files of the bind mount. This image does not exist yet, so the field is
      // empty.
      { name: 'page', image: '', port: 80, memoryMb: 512, cpuTenths: 5, dependsOn: [{ name: 'db', when: 'ready' }] },
      {
        name: 'db',
        image: 'registry.example.org/db:1',
        port: null,
        memoryMb: 512,
        definition: { readiness: { command: ['pg_isready'] } },
      },
      { name: 'bot', image: 'registry.example.org/bot:1', port: null, memoryMb: 512 },
    ])
    expect(challenge.containers.map(({ networks }) => networks?.map(({ name }) => name))).toEqual([
      ['front', 'inner'],
      ['inner'],
      ['inner'],
    ])
    expect(errors).toEqual([])
    await close()
  })
})
