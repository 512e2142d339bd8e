import { describe, expect, it } from 'vitest'
import { startDemoProgram } from '../support/demo-program.ts'
import { generateFileFlags, makeAttachment } from './attachments.ts'
import { getManifest, hasContainer, hasSeveralContainers, listManifests, readDescription } from './manifest.ts'
import { createSolveContext, loadSolver } from './solve-context.ts'

const manifests = listManifests()
const attachments = manifests.filter((manifest) => manifest.type === 'StaticAttachment')
const containers = [...manifests.filter(hasContainer), ...manifests.filter(hasSeveralContainers)]

/** Returns a flag in the format of flags that the platform generates for teams. */
const teamFlag = 'flag{given_to_team_17_0a1b2c3d4e5f}'

describe('solver scripts for challenges of the type StaticAttachment', () => {
  it.each(attachments)('the solver finds the flag of $slug in the text and the file of the challenge', async (manifest) => {
    const solve = await loadSolver(manifest.slug)
    const [flag] = manifest.flags
    const found = await solve(
      createSolveContext({ description: readDescription(manifest), attachment: () => makeAttachment(manifest, flag) }),
    )
    expect(manifest.flags).toContain(found)
  })
})

describe('solver scripts for challenges of the type DynamicAttachment', () => {
  it('a solver finds the flag of each team in the file of the team', async () => {
    const manifest = getManifest('soundings')
    if (manifest.type !== 'DynamicAttachment') throw new Error('soundings is a dynamic attachment')
    const solve = await loadSolver('soundings')
    const flags = generateFileFlags(manifest)
    expect(new Set(flags).size).toBe(24)
    for (const flag of flags) {
      const context = createSolveContext({ description: '', attachment: () => makeAttachment(manifest, flag) })
      expect(await solve(context)).toBe(flag)
    }
  })
})

describe('solver scripts for challenges that run in containers', () => {
  it.each(containers)('the solver finds the flag of $slug through the port of the container', async (manifest) => {
    await using program = await startDemoProgram(manifest, { flag: teamFlag, teamId: '17' })
    const solve = await loadSolver(manifest.slug)
    const context = createSolveContext({ description: readDescription(manifest), connect: program.connect })
    const found = await solve(context)
    if (manifest.type === 'DynamicContainer') expect(found).toBe(teamFlag)
    else expect(manifest.flags).toContain(found)
  })
})
