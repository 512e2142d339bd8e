import { existsSync, readFileSync } from 'node:fs'
import path from 'node:path'
import { ChallengeCreate, ChallengeUpdate, FlagInput } from '@capstan/contract/challenges'
import { Limits } from '@capstan/contract/limits'
import { type Static, Type } from 'typebox'
import { Value } from 'typebox/value'
import { describe, expect, it } from 'vitest'
import { makeAttachment } from './attachments.ts'
import { listDemoImages } from './images.ts'
import {
  type ChallengeManifest,
  challengeFolder,
  demoImageName,
  getManifest,
  hasContainer,
  hasSeveralContainers,
  listManifests,
  readDescription,
} from './manifest.ts'

const common = {
  slug: Type.String({ pattern: '^[a-z]+(-[a-z]+)*$' }),
  title: Type.String({ minLength: 1 }),
  category: Type.String({ minLength: 1 }),
  description: Type.Literal('description.md'),
  hints: Type.Array(Type.String({ minLength: 1 })),
  points: Type.Integer({ minimum: 1 }),
  minimumShare: Type.Number({ minimum: 0, maximum: 1 }),
  decay: Type.Number({ exclusiveMinimum: 0 }),
}
const attachment = Type.Object({ fileName: Type.String({ minLength: 1 }) }, { additionalProperties: false })
const flags = Type.Array(Type.String({ pattern: '^flag\\{.+\\}$', maxLength: Limits.maxFlagLength }), { minItems: 1 })
const container = {
  image: Type.String({ pattern: '^capstan/demo-[a-z-]+:dev$' }),
  port: Type.Integer({ minimum: 1024, maximum: 65535 }),
  memoryMb: Type.Integer({ minimum: 32, maximum: 128 }),
  cpuTenths: Type.Integer({ minimum: 1, maximum: 10 }),
  storageMb: Type.Integer({ minimum: 128, maximum: 256 }),
  protocol: Type.Union([Type.Literal('tcp'), Type.Literal('http')]),
  run: Type.Array(Type.String(), { minItems: 2 }),
}
const closed = { additionalProperties: false }
const flagTemplate = Type.String({ pattern: '\\[(TEAM_HASH|GUID)\\]', maxLength: Limits.maxFlagTemplateLength })
const shapes = {
  StaticAttachment: Type.Object(
    { ...common, type: Type.Literal('StaticAttachment'), flags, attachment: Type.Optional(attachment) },
    closed,
  ),
  DynamicAttachment: Type.Object(
    {
      ...common,
      type: Type.Literal('DynamicAttachment'),
      fileFlag: Type.String({ pattern: '\\[HEX\\]' }),
      fileCount: Type.Integer({ minimum: 12 }),
      attachment,
    },
    closed,
  ),
  StaticContainer: Type.Object({ ...common, type: Type.Literal('StaticContainer'), flags, ...container }, closed),
  DynamicContainer: Type.Object(
    {
      ...common,
      type: Type.Literal('DynamicContainer'),
      flagTemplate,
      ...container,
    },
    closed,
  ),
}
const program = Type.Object(
  {
    ...container,
    name: Type.String({ pattern: '^[a-z]+$' }),
    environment: Type.Record(Type.String({ pattern: '^[A-Z]+$' }), Type.String()),
    dependsOn: Type.Array(Type.String()),
    receivesFlag: Type.Boolean(),
  },
  closed,
)
const severalShape = Type.Object(
  { ...common, type: Type.Literal('DynamicContainer'), flagTemplate, programs: Type.Array(program, { minItems: 2 }) },
  closed,
)
function shapeOf(manifest: ChallengeManifest) {
  return hasSeveralContainers(manifest) ? severalShape : shapes[manifest.type]
}

/** Types for the parts of WebAssembly that the test uses. TypeScript defines them only in its DOM library. */
const { WebAssembly: wasm } = globalThis as unknown as {
  WebAssembly: {
    instantiate(
      module: Uint8Array,
    ): Promise<{ instance: { exports: { memory: { buffer: ArrayBuffer }; release(length: number): number } } }>
  }
}

const manifests = listManifests()
function read(slug: string, file: string): string {
  return readFileSync(path.join(challengeFolder(slug), file), 'utf8')
}

describe('manifests of demo challenges', () => {
  it.each(manifests)('a manifest of type $type has exactly the fields that the type needs: $slug', (manifest) => {
    expect([...Value.Errors(shapeOf(manifest), manifest)]).toEqual([])
  })

  it.each(manifests)('a manifest satisfies the rules of the platform: $slug', ({ title, category, type, hints, ...rest }) => {
    const created: Static<typeof ChallengeCreate> = { title, category, type }
    expect(Value.Check(ChallengeCreate, created)).toBe(true)
    const { points, minimumShare, decay } = rest
    expect(Value.Check(ChallengeUpdate, { hints, originalScore: points, minScoreRate: minimumShare, difficulty: decay })).toBe(
      true,
    )
    for (const flag of 'flags' in rest ? rest.flags : []) expect(Value.Check(FlagInput, { flag })).toBe(true)
  })

  it.each(manifests)('a folder $slug with a manifest also contains a text and a solver', (manifest) => {
    expect(existsSync(path.join(challengeFolder(manifest.slug), 'solve.ts'))).toBe(true)
    expect(readDescription(manifest).length).toBeGreaterThan(80)
  })

  it('demo challenges use all types and at least five categories', () => {
    expect(new Set(manifests.map(({ type }) => type))).toEqual(new Set(Object.keys(shapes)))
    expect(new Set(manifests.map(({ category }) => category)).size).toBeGreaterThanOrEqual(5)
  })

  it('the texts of demo challenges include a code block and math', () => {
    const texts = manifests.map(readDescription)
    expect(texts.some((text) => text.includes('```'))).toBe(true)
    expect(texts.some((text) => /\$[^$]+\$/.test(text))).toBe(true)
  })

  it('finds a manifest by slug, and throws an error that contains an unknown slug', () => {
    expect(() => getManifest('kraken')).toThrow("There is no demo challenge 'kraken'")
  })
})

describe('container images of demo challenges', () => {
  it.each(manifests.filter(hasContainer))('an image runs the same program as the child process of tests: $slug', (manifest) => {
    const dockerfile = read(manifest.slug, 'Dockerfile')
    expect(dockerfile).toContain(`CMD ${JSON.stringify(manifest.run).replaceAll(',', ', ')}`)
    expect(dockerfile).toContain(`ENV PORT=${manifest.port}`)
    expect(dockerfile).toMatch(/^FROM node:24-bookworm-slim$/m)
    expect(dockerfile).toMatch(/^USER [1-9]\d*:[1-9]\d*$/m)
    expect(dockerfile).not.toContain('npm')
  })

  it('the demo challenge "night watch" has three containers, and only the container "watchman" receives the flag', () => {
    const { programs } = listManifests().find(hasSeveralContainers)!
    const dockerfile = read('night-watch', 'Dockerfile')
    for (const { run } of programs) expect(dockerfile).toMatch(new RegExp(`^COPY .*\\b${run.at(-1)}`, 'm'))
    expect(programs.map(({ name, receivesFlag }) => [name, receivesFlag])).toEqual([
      ['office', false],
      ['ledger', false],
      ['watchman', true],
    ])
    expect(new Set(programs.map(({ image }) => image))).toEqual(new Set(['capstan/demo-night-watch:dev']))
  })

  it('without a container, a demo program runs with the Node.js executable of the test', () => {
    const chandlery = listDemoImages().find(({ image }) => image === 'capstan/demo-chandlery:dev')
    expect(chandlery).toEqual({
      image: 'capstan/demo-chandlery:dev',
      command: [process.execPath, '--max-old-space-size=48', 'server.mjs'],
      cwd: path.join(import.meta.dirname, 'chandlery'),
      port: 8080,
    })
    expect(listDemoImages()).toHaveLength(3)
  })

  it('returns an image with another registry and tag', () => {
    const manifest = getManifest('chandlery')
    if (!hasContainer(manifest)) throw new Error('The chandlery has a container')
    expect(demoImageName(manifest)).toBe('capstan/demo-chandlery:dev')
    expect(demoImageName(manifest, { imageTag: 'v1.2.3' })).toBe('capstan/demo-chandlery:v1.2.3')
    expect(demoImageName(manifest, { imagePrefix: 'registry.example.org/ctf/demo-' })).toBe(
      'registry.example.org/ctf/demo-chandlery:dev',
    )
  })
})

describe('attachments of demo challenges', () => {
  it('creates equal attachments for equal flags, and different attachments for different flags', async () => {
    const manifest = getManifest('soundings')
    const [one, again, other] = await Promise.all(
      ['flag{one}', 'flag{one}', 'flag{two}'].map((flag) => makeAttachment(manifest, flag)),
    )
    expect(Buffer.compare(one!, again!)).toBe(0)
    expect(Buffer.compare(one!, other!)).not.toBe(0)
  })

  it.each(manifests.filter((manifest) => 'attachment' in manifest && manifest.category !== 'Hardware'))(
    'an attachment contains the flag only in hidden form: $slug',
    async (manifest) => {
      const file = Buffer.from(await makeAttachment(manifest, 'flag{ALL_HANDS}'))
      expect(file.includes('flag{')).toBe(false)
      expect(file.includes('ALL_HANDS')).toBe(false)
    },
  )

  it('the attachment of the winch lock accepts only the right password', async () => {
    const manifest = getManifest('winch-lock')
    const words = 'flag{three_turns_left_and_mind_the_pawl}'
    const { instance } = await wasm.instantiate(await makeAttachment(manifest, words))
    const { memory, release } = instance.exports
    const tryWords = (text: string): number => {
      const bytes = new TextEncoder().encode(text)
      new Uint8Array(memory.buffer).set(bytes)
      return release(bytes.length)
    }
    expect(tryWords(words)).toBe(1)
    expect(tryWords(words.replace('left', 'lefs'))).toBe(0)
    expect(tryWords(`${words}!`)).toBe(0)
    expect(tryWords(words.slice(0, -1))).toBe(0)
    expect(tryWords('')).toBe(0)
  })
})
