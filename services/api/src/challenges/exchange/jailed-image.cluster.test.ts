import { readdirSync, readFileSync } from 'node:fs'
import { connect } from 'node:net'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'
import { createTextTree } from '@capstan/challenge-files/testing/text-tree'
import { entryContainerOf } from '@capstan/contract/challenge-parts'
import { expect, it, onTestFinished } from 'vitest'
import { startClusterHarness } from '../../instances/lifecycle/testing/cluster-harness.ts'
import { anEntryContainer, anInstanceSpec } from '../../instances/lifecycle/testing/instance-spec.ts'
import { readChallengeArchive } from './read-archive.ts'

/** Image of `operator/testing-images/jailed`. It is built from the files that the import creates. */
const jailedImage = process.env.CAPSTAN_TEST_JAILED_IMAGE ?? 'capstan/demo-jailed:dev'

const folder = fileURLToPath(new URL('../../../../../operator/testing-images/jailed/', import.meta.url))
const files = Object.fromEntries(readdirSync(folder).map((name) => [name, readFileSync(folder + name, 'utf8')]))

/** Answers the prompts of the guard program. @returns the flag */
async function solve(host: string, port: number): Promise<string | undefined> {
  const socket = connect({ host, port, timeout: 120_000 })
  socket.once('timeout', () => socket.destroy(new Error(`${host}:${port} does not answer`)))
  const lines = createInterface({ input: socket })
  let last: string | undefined
  for await (const line of lines) {
    last = line
    const word = /^The watch calls: (\w+)$/.exec(line)?.[1]
    if (word !== undefined) socket.write(`${word.toUpperCase()}\n`)
  }
  return last
}

it("imports, builds and runs a jailed challenge of another platform, and its solution returns the team's flag", async () => {
  const [imported] = readChallengeArchive(createTextTree(files)).challenges
  if (imported?.described === undefined) throw new Error(JSON.stringify(imported?.findings))
  const container = entryContainerOf(imported.described.challenge)
  // The test image must come from the Dockerfile that the import creates.
  expect(imported?.dockerfile).toBe(files['Dockerfile.capstan'])

  const harness = await startClusterHarness()
  const runtime = harness.createRuntime()
  onTestFinished(async () => {
    await runtime.close()
    await harness.close()
  })
  const { port, cpuTenths, memoryMb, storageMb, definition } = container
  const entry = anEntryContainer({ image: jailedImage, port, cpuTenths, memoryMb, storageMb, definition })
  const spec = anInstanceSpec({ flag: 'ctf{of this team}', containers: [entry] })
  const { id } = spec
  await runtime.create(spec)
  await expect.poll(() => runtime.find(id)?.state.kind, { timeout: 120_000 }).toBe('ready')
  const state = runtime.find(id)?.state
  if (state?.kind !== 'ready') throw new Error('The instance is no longer ready')
  expect(await solve(state.host, state.port)).toBe('ctf{of this team}')
})
