import { ChallengeFile } from './challenge.ts'
import { GameFile } from './game.ts'

/** Path of the schema on a platform. Within a version, valid files remain valid. Incompatible changes get a new version. */
export const schemaPath = '/api/schemas/v1/capstan.json'

/** Returns the JSON Schema of `capstan.yaml` as text. Editors use it to complete and check files. */
export function jsonSchemaText(): string {
  return `${JSON.stringify(
    {
      $schema: 'https://json-schema.org/draft/2020-12/schema',
      title: 'capstan.yaml',
      description: 'A game of Capstan, or a challenge of one.',
      type: 'object',
      required: ['apiVersion', 'kind'],
      properties: { kind: { enum: ['Challenge', 'Game'] } },
      if: { properties: { kind: { const: 'Game' } } },
      // biome-ignore lint/suspicious/noThenProperty: a word of JSON Schema
      then: GameFile,
      else: ChallengeFile,
    },
    undefined,
    2,
  )}\n`
}

/** Returns the first line of a file, which refers editors to the schema. */
export function createSchemaReferenceLine(address: string): string {
  return `# yaml-language-server: $schema=${address}`
}
