import { type Static, Type } from 'typebox'
import { ChallengeCategory, ChallengeType } from './challenges.ts'
import { nullable, nullableString, stringEnum } from './kit.ts'
import { InputLimits, InstanceLimits } from './limits.ts'

/**
 * Outcome of an import for one field: the field was converted, it was left out because the platform has no counterpart, or its
 * challenge was refused.
 */
export const ImportOutcome = stringEnum(['converted', 'left-out', 'refused'])
export type ImportOutcome = Static<typeof ImportOutcome>

/** Format of an imported file: our own files, a game package, or the format of another platform. */
export const ImportDialect = stringEnum([
  'capstan',
  'package',
  'rcds',
  'ctfcli',
  'kctf',
  'kona',
  'klodd',
  'ctfd',
  'compose',
  'other',
])
export type ImportDialect = Static<typeof ImportDialect>

/**
 * Kind of repair that an import offers: enable the challenges, set limits of their containers, or choose the port of each
 * challenge.
 */
export const ImportRepair = stringEnum(['enable', 'limits', 'port'])
export type ImportRepair = Static<typeof ImportRepair>

const ofRepairs = {
  repair: Type.Optional(ImportRepair),
  ports: Type.Optional(
    Type.Array(Type.Integer({ format: 'int32' }), { description: 'Ports that the files name, for the repair `port`.' }),
  ),
}

/** Field of a file that was changed or dropped by the import. */
export const ImportFinding = Type.Object(
  {
    file: Type.String({ description: 'Path in the archive.' }),
    line: Type.Integer({ format: 'int32', description: 'Line of the nearest known position, from 1.' }),
    field: Type.String({ description: 'Field such as `containers.main.replicas`; empty for the whole file.' }),
    outcome: ImportOutcome,
    why: Type.String({ description: 'One English sentence.' }),
    advice: nullableString({ description: 'Advice for the organizer, as an English sentence, or null.' }),
    ...ofRepairs,
  },
  { title: 'ImportFinding' },
)
export type ImportFinding = Static<typeof ImportFinding>

/**
 * Consequence of a finding, the most urgent first: the challenge cannot be imported, the organizer must act, or no action is
 * needed.
 */
export const ImportUrgency = stringEnum(['refused', 'action', 'note'])
export type ImportUrgency = Static<typeof ImportUrgency>

/**
 * Group of findings with the same reason. Lists of groups begin with the most urgent: refused challenges, then needed actions,
 * then notes.
 */
export const ImportFindingGroup = Type.Object(
  {
    urgency: ImportUrgency,
    outcome: ImportOutcome,
    why: Type.String({ description: 'One English sentence.' }),
    advice: nullableString({ description: 'Advice for the organizer, as an English sentence, or null.' }),
    repair: Type.Optional(ImportRepair),
    count: Type.Integer({ format: 'int32' }),
    findings: Type.Array(ImportFinding, { description: 'The first findings of the group.' }),
  },
  { title: 'ImportFindingGroup' },
)
export type ImportFindingGroup = Static<typeof ImportFindingGroup>

/** Query parameters of an import that select repairs. Each parameter applies one repair to the challenges of the archive. */
export const importRepairParameters = {
  enableAll: Type.Optional(
    Type.Boolean({ default: false, description: 'Enable all challenges that have a flag, and images for their containers.' }),
  ),
  defaultMemoryMb: Type.Optional(
    Type.Integer({
      minimum: InstanceLimits.minMemoryMb,
      maximum: InstanceLimits.maxMemoryMb,
      description: 'Memory, in MB, of containers of other formats that set no limit.',
    }),
  ),
  defaultCpuTenths: Type.Optional(
    Type.Integer({
      minimum: InstanceLimits.minCpuTenths,
      maximum: InstanceLimits.maxCpuTenths,
      description: 'Tenths of a core for containers of other formats that set no limit.',
    }),
  ),
  ports: Type.Optional(
    Type.String({
      pattern: '^[0-9]{1,5}:[0-9]{1,5}(,[0-9]{1,5}:[0-9]{1,5})*$',
      maxLength: InputLimits.maxImportChoiceLength,
      description: 'Ports for players, by the position of the challenge, such as `0:8080,4:1337`.',
    }),
  ),
} as const
const ImportRepairs = Type.Object(importRepairParameters)
export type ImportRepairs = Static<typeof ImportRepairs>

/** Settings that a container has after the import. */
export const ImportedContainer = Type.Object(
  {
    image: Type.String({ description: 'Empty if the image is not built yet.' }),
    port: Type.Integer({ format: 'int32' }),
    memoryLimit: Type.Integer({ format: 'int32', description: 'MB.' }),
    cpuCount: Type.Integer({ format: 'int32', description: 'Tenths of a core.' }),
  },
  { title: 'ImportedContainer' },
)

export const ImportedChallenge = Type.Object(
  {
    position: Type.Integer({ format: 'int32', description: 'Position from 0, which selects challenges for the import.' }),
    file: Type.String({ description: 'File that describes the challenge.' }),
    dialect: ImportDialect,
    title: Type.String(),
    category: ChallengeCategory,
    type: ChallengeType,
    content: Type.String({ description: 'Markdown.' }),
    originalScore: Type.Integer({ format: 'int32' }),
    minScore: Type.Integer({ format: 'int32' }),
    flagCount: Type.Integer({ format: 'int32' }),
    flagTemplate: nullableString(),
    hintCount: Type.Integer({ format: 'int32' }),
    attachments: Type.Array(Type.String(), { description: 'Paths in the archive, or a single URL.' }),
    container: nullable(ImportedContainer),
    dockerfile: nullableString({
      description: 'Dockerfiles that the import adds, such as one of a jailed image without its jail; null if it adds none.',
    }),
    isEnabled: Type.Boolean({ description: 'True if the import enables the challenge.' }),
    isRefused: Type.Boolean({ description: 'True if the challenge cannot be imported. The findings contain the reason.' }),
    isKnown: Type.Boolean({ description: 'True if the game has a challenge with this title.' }),
    findings: Type.Array(ImportFinding),
  },
  { title: 'ImportedChallenge' },
)
export type ImportedChallenge = Static<typeof ImportedChallenge>

export const ImportPreview = Type.Object(
  {
    digest: Type.String({
      pattern: '^[0-9a-f]{64}$',
      description: 'Digest of the archive and the repairs, for the import call.',
    }),
    fileCount: Type.Integer({ format: 'int32' }),
    game: nullableString({ description: 'Title of the game if the archive is a game package.' }),
    challenges: Type.Array(ImportedChallenge),
    groups: Type.Array(ImportFindingGroup, { description: 'All findings, grouped by their reason.' }),
    findings: Type.Optional(
      Type.Array(ImportFinding, {
        description: 'Ignored entries of the archive, such as links. Absent if all entries were read.',
      }),
    ),
  },
  { title: 'ImportPreview' },
)
export type ImportPreview = Static<typeof ImportPreview>

/** Imported challenges, in the order in which the archive lists them. */
export const ImportResult = Type.Object(
  {
    challenges: Type.Array(
      Type.Object({ id: Type.Integer({ format: 'int32' }), title: Type.String(), category: ChallengeCategory }),
    ),
  },
  { title: 'ImportResult' },
)
export type ImportResult = Static<typeof ImportResult>
