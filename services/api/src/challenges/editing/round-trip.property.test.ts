import { convertFiles, resetUnusedSettings } from '@capstan/challenge-files/challenge/challenge'
import { findFlagFault } from '@capstan/challenge-files/challenge/faults'
import { readDescribedChallenge } from '@capstan/challenge-files/challenge/read'
import type { GivenFile } from '@capstan/challenge-files/challenge/read-files'
import { toChallengeFile } from '@capstan/challenge-files/challenge/write'
import { normalizeContainerDefinition } from '@capstan/challenge-files/format/container'
import { readChallenge } from '@capstan/challenge-files/format/read'
import { formatChallengeFile } from '@capstan/challenge-files/format/write'
import { chooseFreeName, safeFileName, type TakenNames } from '@capstan/challenge-files/safe-names'
import { createTextTree } from '@capstan/challenge-files/testing/text-tree'
import type { Challenge, ChallengeFileRef } from '@capstan/contract/challenge'
import { Difficulty } from '@capstan/contract/challenge-labels'
import { defaultContainer, isDeadlineBeforeRelease } from '@capstan/contract/challenge-parts'
import { hasContainer } from '@capstan/contract/challenge-types'
import { ChallengeCategory, ChallengeType } from '@capstan/contract/challenges'
import type { ContainerDefinition, StoredContainer } from '@capstan/contract/container-definition'
import { type ChallengeContainer, withoutDefaultNetworks } from '@capstan/contract/containers'
import { sanitizeFileName } from '@capstan/contract/file-name'
import { ContainerLimits, InputLimits, InstanceLimits, Limits } from '@capstan/contract/limits'
import { curveNames } from '@capstan/contract/score'
import { normalizeTags } from '@capstan/contract/tags'
import { normalizeUnlockRule } from '@capstan/contract/unlock'
import { lockedViews } from '@capstan/contract/vocabulary'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { isFullRun } from '../../testing/full-run.ts'
import type { AttachmentRow, ChallengeRow } from './repository.ts'
import { attachmentRowValuesOf, challengeOfRows, columnsOfChallenge } from './rows.ts'

/** Number of challenges in each property test (CONTRIBUTING, "Short and full runs"). */
const numRuns = isFullRun ? 10_000 : 200

function text(maxLength: number) {
  return fc.string({ unit: 'grapheme', maxLength }).filter((value) => !value.includes('\0'))
}
function trimmed(maxLength: number) {
  return text(maxLength)
    .map((value) => value.trim())
    .filter((value) => value !== '')
}
function between(min: number, max: number) {
  return fc.integer({ min, max })
}
function optional<Value>(value: fc.Arbitrary<Value>) {
  return fc.option(value, { nil: undefined })
}

const file: fc.Arbitrary<ChallengeFileRef> = fc.oneof(
  fc.record({
    hash: fc.stringMatching(/^[0-9a-f]{64}$/),
    name: fc
      .oneof(trimmed(20), fc.constantFrom('capstan.yaml', 'Makefile', 'aux.c', 'a b.tar.gz'))
      .map((name) => sanitizeFileName(name)),
  }),
  fc.record({ url: fc.webUrl() }),
)

const variable = fc.stringMatching(/^[A-Z_][A-Z0-9_]{0,8}$/).filter((name) => name !== 'TEAM_ID')
const instantMs = fc.option(fc.integer({ min: 1, max: InputLimits.maxInstantMs }), { nil: null })
const port = between(InstanceLimits.minPort, InstanceLimits.maxPort)
const filePath = fc.stringMatching(/^(\/[a-z]{1,5}){1,3}$/)
const userNumber = between(ContainerLimits.minUserId, ContainerLimits.maxUserId)

const definition = fc.record(
  {
    command: fc.array(text(10), { minLength: 1, maxLength: 3 }),
    args: fc.array(text(10), { minLength: 1, maxLength: 3 }),
    flag: fc.record(
      {
        variables: fc.uniqueArray(variable, { maxLength: 3 }),
        file: fc.record(
          { path: filePath, mode: fc.stringMatching(/^0[0-7]{3}$/), owner: userNumber },
          { requiredKeys: ['path'] },
        ),
      },
      { requiredKeys: ['variables'] },
    ),
    user: userNumber,
    group: userNumber,
    readOnlyRoot: fc.boolean(),
    writablePaths: fc.uniqueArray(fc.record({ path: filePath, sizeMb: between(ContainerLimits.minWritableMb, 99) }), {
      minLength: 1,
      maxLength: 3,
      selector: ({ path }) => path,
    }),
    egress: fc.constantFrom('None', 'Dns', 'Internet'),
    security: fc.constantFrom('Restricted', 'Baseline'),
    exposure: fc.constantFrom('Proxy', 'NodePort'),
    plainPort: fc.constant(true),
    entryLabel: fc.stringMatching(/^[a-z](?:[ a-z]{0,8}[a-z])?$/),
    readiness: fc.oneof(
      fc.record({ port, path: fc.stringMatching(/^\/[a-z]{0,8}$/) }, { requiredKeys: [] }),
      fc.record({ line: fc.stringMatching(/^[a-z][ a-z]{0,8}$/) }),
      fc.record({ command: fc.array(fc.stringMatching(/^[ -~]{0,8}$/), { minLength: 1, maxLength: 3 }) }),
    ),
    startTimeoutSeconds: between(ContainerLimits.minStartTimeoutSeconds, ContainerLimits.maxStartTimeoutSeconds),
    pullSecret: fc.stringMatching(/^[a-z]{1,8}$/),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<StoredContainer>

const offer = fc.record({ speaks: fc.constantFrom('tcp', 'http'), isRaw: fc.boolean(), hasOwnCertificate: fc.boolean() })
const label = fc.stringMatching(/^[a-z](?:[ a-zé.]{0,8}[a-z])?$/)
const furtherOffer = offer.chain((ways) =>
  optional(label).map((given) => ({ ...ways, ...(given !== undefined && { label: given }) })),
)

const container: fc.Arbitrary<ChallengeContainer> = fc
  .record({
    image: text(20).map((value) => value.trim()),
    port,
    reach: fc.oneof(
      offer,
      fc.constant({ speaks: 'http' as const, isRaw: false, hasOwnCertificate: false, isGuarded: true }),
    ) as fc.Arbitrary<ChallengeContainer['reach']>,
    cpuTenths: between(InstanceLimits.minCpuTenths, InstanceLimits.maxCpuTenths),
    memoryMb: between(InstanceLimits.minMemoryMb, InstanceLimits.maxMemoryMb),
    storageMb: between(InstanceLimits.minStorageMb, InstanceLimits.maxStorageMb),
    capture: fc.constantFrom(false, true, 'all' as const),
    definition,
    names: fc.uniqueArray(variable, { maxLength: 5 }),
    secretNames: fc.uniqueArray(variable, { maxLength: 2 }),
    values: fc.array(text(10), { minLength: 5, maxLength: 5 }),
    others: fc.uniqueArray(fc.tuple(port, optional(furtherOffer)), { maxLength: 4, selector: ([number]) => number }),
  })
  .map(({ names, secretNames, values, others, ...rest }) => {
    const further = others.filter(([number]) => number !== rest.port)
    const offered = further.flatMap(([number, ways]) => (ways === undefined ? [] : [{ port: number, ...ways }]))
    const whole = {
      ...rest.definition,
      environment: names.map((name, index) => ({ name, value: values[index] ?? '' })),
      furtherPorts: further.map(([number]) => number),
      offeredPorts: offered,
    } as StoredContainer
    const secrets = secretNames
      .filter((name) => !names.includes(name))
      .sort()
      .map((name) => ({ name }))
    const plain: ContainerDefinition = {
      ...normalizeContainerDefinition(whole, rest.port),
      ...(secrets.length > 0 && { secrets }),
    }
    return { ...rest, name: defaultContainer.name, definition: plain }
  })

const networks = fc.record(
  {
    networks: fc.uniqueArray(
      fc.record({ name: fc.constantFrom('default', 'back'), aliases: fc.uniqueArray(fc.constantFrom('www', 'store')) }),
      { minLength: 1, selector: ({ name }) => name },
    ),
    dependsOn: fc.uniqueArray(fc.record({ name: fc.constantFrom('main', 'db'), when: fc.constantFrom('started', 'ready') }), {
      selector: ({ name }) => name,
    }),
    receivesFlag: fc.boolean(),
  },
  { requiredKeys: [] },
) as fc.Arbitrary<Partial<ChallengeContainer>>

const furtherContainer = fc.tuple(container, networks).map(
  ([
    {
      definition: { entryLabel: _, ...definition },
      ...rest
    },
    beside,
  ]) => ({
    ...rest,
    ...beside,
    definition: {
      ...normalizeContainerDefinition(definition, null),
      ...(definition.secrets && { secrets: definition.secrets }),
    },
    ...{ port: null, reach: defaultContainer.reach, capture: false },
  }),
)

/** Generator of up to eight containers. Only the first is the entry container. */
const severalContainers: fc.Arbitrary<ChallengeContainer[]> = fc
  .tuple(container, networks, fc.array(furtherContainer, { maxLength: ContainerLimits.maxContainers - 1 }))
  .map(([first, beside, others]) =>
    [{ ...first, ...beside }, ...others].map((each, index) =>
      withoutDefaultNetworks({ ...each, ...(index > 0 && { name: `c${index}` }) }),
    ),
  )

const unlockRule = fc
  .option(
    fc.record({
      after: fc.uniqueArray(fc.integer({ min: 1, max: 50 }), { maxLength: 4 }),
      count: fc.option(fc.integer({ min: 1, max: 4 })),
      points: fc.option(fc.integer({ min: 1, max: InputLimits.maxScore })),
      locked: fc.constantFrom(...lockedViews),
    }),
  )
  .map(normalizeUnlockRule)

const challenge: fc.Arbitrary<Challenge> = fc
  .record({
    title: trimmed(30),
    category: fc.constantFrom(...ChallengeCategory.enum),
    type: fc.constantFrom(...ChallengeType.enum),
    tags: fc
      .array(
        trimmed(10).filter((tag) => !/\p{Cc}/u.test(tag)),
        { maxLength: 4 },
      )
      .map(normalizeTags),
    difficulty: fc.option(fc.constantFrom(...Difficulty.enum)),
    enabled: fc.boolean(),
    description: text(60).map((value) => value.replaceAll('\r\n', '\n')),
    points: between(0, InputLimits.maxScore),
    minimumShare: fc.double({ min: 0, max: 1, noNaN: true }).map(Math.abs),
    decay: fc.double({ min: 0, minExcluded: true, max: InputLimits.maxDecay, noNaN: true }),
    release: instantMs,
    deadline: instantMs,
    submissionLimit: fc.integer({ min: 0, max: Limits.maxSubmissionLimit }),
    cooldownSeconds: fc.integer({ min: 0, max: Limits.maxCooldownSeconds }),
    bloods: fc.boolean(),
    curve: fc.constantFrom(...curveNames),
    isValueFixed: fc.boolean(),
    unlock: unlockRule,
    hints: fc.array(fc.record({ text: text(20), price: fc.constantFrom(0, 1, InputLimits.maxScore) }), { maxLength: 3 }),
    flags: fc.array(
      fc
        .record(
          {
            ...{ flag: trimmed(30), file: fc.option(file), kind: fc.constantFrom('Caseless' as const, 'Pattern' as const) },
            points: fc.constantFrom(0, 1, InputLimits.maxScore),
          },
          { requiredKeys: ['flag', 'file'] },
        )
        .filter((flag) => findFlagFault(flag) === undefined),
      { maxLength: 4 },
    ),
    template: fc.constantFrom('', 'flag{[GUID]}', 'flag{a_[TEAM_HASH]}'),
    attachment: fc.option(file),
    attachmentName: trimmed(20),
    containers: fc.tuple(container),
  })
  .filter((value) => !isDeadlineBeforeRelease(value))
  .map(({ flags, ...rest }) => {
    const isShared = rest.type.startsWith('Static')
    return resetUnusedSettings<ChallengeFileRef>({
      ...rest,
      flags: flags.map(({ flag, file: own, kind, points }) => ({
        flag,
        file: isShared ? null : own,
        ...(isShared && kind !== undefined && { kind }),
        ...(isShared && points !== undefined && { points }),
      })),
    })
  })

const withSeveralContainers: fc.Arbitrary<Challenge> = fc
  .tuple(challenge, severalContainers)
  .map(([given, containers]) => (hasContainer(given.type) ? { ...given, containers } : given))

/** Most generated challenges have one container, because a challenge with eight containers takes ten times as long. */
const anyChallenge = fc.oneof({ weight: 3, arbitrary: challenge }, { weight: 1, arbitrary: withSeveralContainers })

/** Writes a challenge as the text files of a folder. A stored file is replaced by a text file that contains its hash. */
async function folderOf(given: Challenge) {
  const files: Record<string, string> = { 'description.md': given.description }
  const taken: TakenNames = new Map()
  const described = await convertFiles(given, (own) => {
    if ('url' in own) return own
    const path = `files/${chooseFreeName(safeFileName(own.name), taken)}`
    files[path] = own.hash
    return { file: path, as: own.name }
  })
  const parts = { name: 'generated', description: { file: 'description.md' }, nameOf: (id: number) => `prerequisite-${id}` }
  return { ...files, 'capstan.yaml': formatChallengeFile(toChallengeFile(described, parts)) }
}

async function readBack(files: Readonly<Record<string, string>>) {
  const tree = createTextTree(files)
  const { challenge: read, findings } = readChallenge(tree, 'capstan.yaml')
  expect(findings).toEqual([])
  const described = readDescribedChallenge(tree, 'capstan.yaml', read!, { environment: {}, builtImage: () => undefined })
  expect(described.findings).toEqual([])
  const { unlock } = described.challenge
  const after = described.after.map((name) => Number(name.split('-')[1]))
  const linked = { ...described.challenge, unlock: normalizeUnlockRule(unlock && { ...unlock, after }) }
  return convertFiles(linked, (own: GivenFile): ChallengeFileRef => {
    if ('url' in own) return own
    const [part] = own.parts
    return { hash: part !== undefined && 'path' in part ? (files[part.path] ?? '') : '', name: own.name }
  })
}

test('a challenge that is written to a file, read and written again does not change', {
  timeout: 3_600_000,
}, async () => {
  await fc.assert(
    fc.asyncProperty(anyChallenge, async (given) => {
      const files = await folderOf(given)
      const read = await readBack(files)
      expect(read).toEqual(given)
      expect(await folderOf(read)).toEqual(files)
    }),
    { numRuns },
  )
})

test('a challenge that is written as rows and read again does not change', { timeout: 3_600_000 }, () => {
  const attachmentRow = (own: ChallengeFileRef): AttachmentRow => ({
    ...{ id: 1, fileHash: null, fileName: null, remoteUrl: null, sizeBytes: null },
    ...attachmentRowValuesOf(own),
  })
  const hiddenOf = ({ definition: { secrets = [] } }: ChallengeContainer) =>
    Object.fromEntries(secrets.map(({ name }) => [name, 'hidden']))
  fc.assert(
    fc.property(anyChallenge, (given) => {
      const [first = defaultContainer, ...others] = given.containers
      const row: ChallengeRow = {
        ...{ id: 1, gameId: 2, acceptedCount: 3, attachmentId: null, isReleased: true, isShown: given.enabled },
        ...columnsOfChallenge(given),
        containerSecrets: hiddenOf(first),
        furtherContainerSecrets: Object.fromEntries(others.map((each) => [each.name, hiddenOf(each)])),
      }
      const flags = given.flags.map(({ flag, kind = 'Exact', points = null, file: own }, id) => ({
        ...{ id, flag, kind, points },
        attachment: own && attachmentRow(own),
      }))
      const attachment = given.attachment === null ? undefined : attachmentRow(given.attachment)
      expect(challengeOfRows({ challenge: row, attachment, flags })).toEqual(given)
    }),
    { numRuns },
  )
})
