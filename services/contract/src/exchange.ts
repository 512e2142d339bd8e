import { type Static, Type } from 'typebox'
import { ChallengeCategory, ChallengeType } from './challenges.ts'
import { nullable, nullableString, stringEnum } from './kit.ts'

/** Outcome of an imported field: converted, without a counterpart, or a reason to refuse the challenge. */
export const ImportOutcome = stringEnum(['converted', 'left-out', 'refused'])
export type ImportOutcome = Static<typeof ImportOutcome>

/** Format of an imported file: this platform, its game package, or another one. */
export const ImportDialect = stringEnum(['capstan', 'package', 'rcds', 'ctfcli', 'kctf', 'kona', 'klodd', 'ctfd'])
export type ImportDialect = Static<typeof ImportDialect>

/** Field of a file that was not imported unchanged. */
export const ImportFinding = Type.Object(
  {
    file: Type.String({ description: 'Path in the archive.' }),
    line: Type.Integer({ format: 'int32', description: 'From 1; the nearest that is known.' }),
    field: Type.String({ description: 'As `containers.main.replicas`; empty for the whole file.' }),
    outcome: ImportOutcome,
    why: Type.String({ description: 'One English sentence.' }),
    advice: nullableString({ description: 'What the organizer can do: one English sentence, or null.' }),
  },
  { title: 'ImportFinding' },
)
export type ImportFinding = Static<typeof ImportFinding>

/** Container settings of a file, as far as they are stored. */
export const ImportedContainer = Type.Object(
  {
    image: Type.String({ description: 'Empty where it has to be built first.' }),
    port: Type.Integer({ format: 'int32' }),
    memoryLimit: Type.Integer({ format: 'int32', description: 'MB.' }),
    cpuCount: Type.Integer({ format: 'int32', description: 'Tenths of a core.' }),
  },
  { title: 'ImportedContainer' },
)

/** Challenge that an archive describes. */
export const ImportedChallenge = Type.Object(
  {
    position: Type.Integer({ format: 'int32', description: 'From 0; the choice names challenges by it.' }),
    file: Type.String({ description: 'The file that describes it.' }),
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
    attachments: Type.Array(Type.String(), { description: 'Paths in the archive, or one address of the web.' }),
    container: nullable(ImportedContainer),
    dockerfile: nullableString({
      description: 'What a jailed image is built from without its jail; null where nothing is converted.',
    }),
    isRefused: Type.Boolean({ description: 'It cannot be imported; the findings say why.' }),
    isKnown: Type.Boolean({ description: 'The game has a challenge of this title.' }),
    findings: Type.Array(ImportFinding),
  },
  { title: 'ImportedChallenge' },
)
export type ImportedChallenge = Static<typeof ImportedChallenge>

/** Preview of an import. */
export const ImportPreview = Type.Object(
  {
    digest: Type.String({ pattern: '^[0-9a-f]{64}$', description: 'SHA-256 of the archive; the import names it.' }),
    fileCount: Type.Integer({ format: 'int32' }),
    game: nullableString({ description: 'Title of the game, if the archive is the package of one.' }),
    challenges: Type.Array(ImportedChallenge),
    findings: Type.Optional(
      Type.Array(ImportFinding, {
        description: 'Entries of the archive that are not read, such as links; absent if there are none.',
      }),
    ),
  },
  { title: 'ImportPreview' },
)
export type ImportPreview = Static<typeof ImportPreview>

/** Imported challenges, in the order of the archive. */
export const ImportResult = Type.Object(
  {
    challenges: Type.Array(
      Type.Object({ id: Type.Integer({ format: 'int32' }), title: Type.String(), category: ChallengeCategory }),
    ),
  },
  { title: 'ImportResult' },
)
export type ImportResult = Static<typeof ImportResult>
