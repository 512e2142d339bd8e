import { randomUUID } from 'node:crypto'
import { afterAll, beforeAll, describe, type TestContext, test, vi } from 'vitest'
import type { InstanceRuntime, InstanceSpec, LogOptions, ObservedState } from '../runtime.ts'
import { anEntryContainer, anInstanceSpec } from './instance-spec.ts'
import { sendLine } from './send-line.ts'

export type RuntimeHarness = Readonly<{
  runtime: InstanceRuntime
  /** Image that listens on `port` and answers the lines `flag` and `team` like `echo.mjs`. */
  echoImage: string
  /** Image that exits at once after each start. */
  crashImage: string
  missingImage: string
  port: number
  close(): Promise<void>
}>

export type ContractTimes = Readonly<{
  /** Maximum time until an instance is ready, failed or removed, in ms. */
  settleMs: number
}>

/** Defines the tests that every runtime must pass. They run concurrently, because they mostly wait. */
export function describeRuntimeContract(name: string, start: () => Promise<RuntimeHarness>, times: ContractTimes): void {
  describe.concurrent(name, { timeout: 120_000 }, () => {
    let harness: RuntimeHarness
    const within = { timeout: times.settleMs, interval: 50 }
    beforeAll(async () => {
      harness = await start()
      // Wait for the first complete list.
      await vi.waitUntil(() => harness.runtime.list(), within)
    })
    afterAll(() => harness.close())

    const kindOf = (id: string) => harness.runtime.find(id)?.state.kind

    /** Creates the helper functions of one test. When the test ends, its instances are deleted. */
    const toolsFor = ({ expect, onTestFinished }: TestContext) => {
      const aSpec = ({ image = harness.echoImage, ...values }: Partial<InstanceSpec> & { image?: string } = {}): InstanceSpec => {
        const spec = anInstanceSpec({
          teamId: 11,
          containers: [anEntryContainer({ image, port: harness.port, cpuTenths: 5, memoryMb: 128, storageMb: 128 })],
          flag: 'flag{of this team}',
          // Request a recording, although there is no recorder. The instance must run anyway.
          capture: true,
          ...values,
        })
        onTestFinished(() => harness.runtime.delete(spec.id))
        return spec
      }
      const settled = async (id: string, kind: ObservedState['kind']) => {
        await expect.poll(() => kindOf(id), { ...within, message: `${id} becomes ${kind}` }).toBe(kind)
        return harness.runtime.find(id)!.state
      }
      const whenReady = async (id: string) => {
        const state = await settled(id, 'ready')
        if (state.kind !== 'ready') throw new Error('Not ready')
        return state
      }
      const ready = async (spec: InstanceSpec) => {
        await harness.runtime.create(spec)
        return whenReady(spec.id)
      }
      const waitUntilDeleted = (id: string) =>
        expect.poll(() => harness.runtime.find(id), { ...within, message: `${id} is gone` }).toBeUndefined()
      return { expect, aSpec, settled, whenReady, ready, waitUntilDeleted }
    }
    const must = (title: string, run: (tools: ReturnType<typeof toolsFor>) => Promise<void>) =>
      test(title, (context) => run(toolsFor(context)))

    must('an instance that is ready accepts connections and knows its flag and team', async ({ expect, aSpec, ready }) => {
      const { host, port } = await ready(aSpec())
      expect(await sendLine(host, port, 'hello')).toBe('hello')
      expect(await sendLine(host, port, 'flag')).toBe('flag{of this team}')
      expect(await sendLine(host, port, 'team')).toBe('11')
    })

    must('a test instance has the team id admin, and no flag if its challenge has none', async ({ expect, aSpec, ready }) => {
      const { host, port } = await ready(aSpec({ participationId: undefined, teamId: undefined, flag: undefined }))
      expect(await sendLine(host, port, 'team')).toBe('admin')
      expect(await sendLine(host, port, 'flag')).toBe('no flag')
    })

    must('two instances run at the same time', async ({ expect, aSpec, ready }) => {
      const [one, two] = await Promise.all([ready(aSpec({ flag: 'one' })), ready(aSpec({ flag: 'two' }))])
      expect(await sendLine(one.host, one.port, 'flag')).toBe('one')
      expect(await sendLine(two.host, two.port, 'flag')).toBe('two')
    })

    must('two creations with the same id create one instance', async ({ expect, aSpec, settled }) => {
      const spec = aSpec()
      await Promise.all([harness.runtime.create(spec), harness.runtime.create(spec)])
      await settled(spec.id, 'ready')
      expect(harness.runtime.list()?.filter(({ id }) => id === spec.id)).toHaveLength(1)
    })

    must('an instance is found and listed at once, with its end time and without its flag', async ({ expect, aSpec }) => {
      const spec = aSpec()
      await harness.runtime.create(spec)
      expect(harness.runtime.find(spec.id)).toMatchObject({ id: spec.id, expiresAt: spec.expiresAt })
      expect(harness.runtime.list()?.map(({ id }) => id)).toContain(spec.id)
      expect(JSON.stringify(harness.runtime.list())).not.toContain('flag{')
    })

    must('an image that does not exist fails with a sentence for people', async ({ expect, aSpec, settled }) => {
      const spec = aSpec({ image: harness.missingImage })
      await harness.runtime.create(spec)
      const state = await settled(spec.id, 'failed')
      expect(state).toMatchObject({
        reason: expect.stringMatching(/^[A-Z]\w+$/),
        message: expect.stringMatching(/^[A-Z].* .*\.$/),
      })
    })

    must('a program that ends right after its start fails with a sentence for people', async ({ expect, aSpec, settled }) => {
      const spec = aSpec({ image: harness.crashImage, flag: undefined })
      await harness.runtime.create(spec)
      const state = await settled(spec.id, 'failed')
      expect(state).toMatchObject({
        reason: expect.stringMatching(/^[A-Z]\w+$/),
        message: expect.stringMatching(/^[A-Z].* .*\.$/),
      })
    })

    must('a deleted instance is not found, and refuses connections', async ({ expect, aSpec, ready, waitUntilDeleted }) => {
      const spec = aSpec()
      const { host, port } = await ready(spec)
      await harness.runtime.delete(spec.id)
      await waitUntilDeleted(spec.id)
      const answers = () => sendLine(host, port, 'hello').catch(() => undefined)
      await expect.poll(answers, { ...within, message: 'it stops to answer' }).toBeUndefined()
    })

    must('the deletion or extension of an unknown instance has no effect', async () => {
      await harness.runtime.delete(randomUUID())
      await harness.runtime.extend(randomUUID(), new Date(Date.now() + 60_000))
    })

    must('an instance ends by itself at its end time, and not earlier', async ({ expect, aSpec, waitUntilDeleted }) => {
      const expiresAt = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 3_000)
      const spec = aSpec({ expiresAt })
      await harness.runtime.create(spec)
      await waitUntilDeleted(spec.id)
      expect(Date.now()).toBeGreaterThanOrEqual(expiresAt.getTime() - 1)
    })

    must(
      'an extended instance continues to run after its first end time',
      async ({ expect, aSpec, whenReady, waitUntilDeleted }) => {
        const first = new Date(Math.ceil(Date.now() / 1_000) * 1_000 + 4_000)
        const later = new Date(first.getTime() + 600_000)
        const [spec, witness] = [aSpec({ expiresAt: first }), aSpec({ expiresAt: first })]
        await Promise.all([harness.runtime.create(spec), harness.runtime.create(witness)])
        // Extend the instance at once, because its start may take longer than its first lifetime.
        await harness.runtime.extend(spec.id, later)
        const { host, port } = await whenReady(spec.id)
        await expect.poll(() => harness.runtime.find(spec.id)?.expiresAt, within).toEqual(later)
        await waitUntilDeleted(witness.id)
        expect(await sendLine(host, port, 'hello')).toBe('hello')
      },
    )

    must(
      'admins see the state of the container, and follow its output until they disconnect',
      async ({ expect, aSpec, ready }) => {
        const { containers } = harness.runtime
        if (!containers?.openLog) return
        const spec = aSpec()
        const { host, port } = await ready(spec)
        const [container, ...others] = containers.find(spec.id) ?? []
        expect(container).toMatchObject({ name: 'challenge', isReady: true, reason: 'Ready', restarts: 0, lastExit: undefined })
        expect(others).toEqual([])
        const text = async (options: Partial<LogOptions>) => {
          const leaving = new AbortController()
          const log = await containers.openLog?.(spec.id, 'challenge', {
            tailLines: 9,
            follow: false,
            signal: leaving.signal,
            ...options,
          })
          return log && Buffer.concat(await Array.fromAsync(log as AsyncIterable<Uint8Array>)).toString()
        }
        for (const word of ['one', 'two', 'three']) await sendLine(host, port, `say ${word}`)
        await expect.poll(() => text({}), within).toBe('one\ntwo\nthree\n')
        expect(await text({ tailLines: 2 })).toBe('two\nthree\n')
        const leaving = new AbortController()
        const log = await containers.openLog(spec.id, 'challenge', { tailLines: 1, follow: true, signal: leaving.signal })
        let followed = ''
        const following = (async () => {
          for await (const piece of log as AsyncIterable<Uint8Array>) followed += Buffer.from(piece).toString()
        })().catch(() => undefined)
        await expect.poll(() => followed, within).toBe('three\n')
        await sendLine(host, port, 'say four')
        await expect.poll(() => followed, within).toBe('three\nfour\n')
        leaving.abort()
        await following
        const options = { tailLines: 1, follow: false, signal: new AbortController().signal }
        expect(await containers.openLog(spec.id, 'other', options)).toBeUndefined()
        expect(await containers.openLog(randomUUID(), 'challenge', options)).toBeUndefined()
        expect(containers.find(randomUUID())).toBeUndefined()
      },
    )

    must('admins see why a container ended', async ({ expect, aSpec, settled }) => {
      const { containers } = harness.runtime
      if (!containers) return
      const spec = aSpec({ image: harness.crashImage, flag: undefined })
      await harness.runtime.create(spec)
      const state = await settled(spec.id, 'failed')
      const see = () => containers.find(spec.id)?.[0]
      await expect.poll(see, within).toMatchObject({ isReady: false, reason: state.kind === 'failed' && state.reason })
      await expect.poll(() => `${see()?.lastExit} ${see()?.message}`, within).toMatch(/exit code [13]/)
    })

    must('listeners are called on every change until they unsubscribe', async ({ expect, aSpec, ready }) => {
      const spec = aSpec()
      const heard: (string | undefined)[] = []
      const leave = harness.runtime.watch((id) => {
        if (id === spec.id) heard.push(kindOf(id))
      })
      await ready(spec)
      await expect.poll(() => heard, within).toContain('ready')
      await harness.runtime.delete(spec.id)
      await expect.poll(() => heard.at(-1), within).toBeUndefined()
      leave()
      const count = heard.length
      const other = aSpec()
      await ready(other)
      expect(heard).toHaveLength(count)
    })
  })
}
